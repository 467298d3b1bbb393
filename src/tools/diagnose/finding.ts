/**
 * The subject of a finding. The codes are stable across versions.
 *
 * - `header_*`, `timestamp_*`, `nonce_*`: a header is wrong as received.
 * - `clock_*`: one of the two clocks is wrong, or the request is older than the window. `clock_unknown`: nobody knows when it arrived.
 * - `nonce_reused`: only `listen` has it, because it remembers nonces.
 * - `secret_exposed`: the secret itself was sent.
 * - `signature_*`, `secret_*`, `message_*`, `body_*`: what was signed instead. Most are proved: signing that way gives the
 *   signature received.
 * - `signature_mismatch`: no known way of signing gives the signature received.
 */
export type FindingCode =
  | 'header_missing'
  | 'header_name'
  | 'header_repeated'
  | 'header_swapped'
  | 'timestamp_format'
  | 'timestamp_unit'
  | 'timestamp_epoch'
  | 'clock_time_zone'
  | 'clock_behind'
  | 'clock_ahead'
  | 'clock_unknown'
  | 'nonce_length'
  | 'nonce_characters'
  | 'nonce_reused'
  | 'signature_format'
  | 'signature_truncated'
  | 'signature_algorithm'
  | 'secret_exposed'
  | 'secret_whitespace'
  | 'secret_quotes'
  | 'secret_prefix'
  | 'secret_encoding'
  | 'secret_hashed'
  | 'secret_changed'
  | 'secret_placeholder'
  | 'message_layout'
  | 'message_timestamp'
  | 'message_nonce'
  | 'body_json'
  | 'body_newline'
  | 'body_encoding'
  | 'body_wrapped'
  | 'body_compressed'
  | 'body_hashed'
  | 'body_not_signed'
  | 'body_changed'
  | 'signature_mismatch'

/**
 * Who must act. `unknown` if the request does not prove it, so that it may be either. Example: the body was changed, and headers such as `Via` show that it
 * passed a proxy.
 */
export type Side = 'sender' | 'receiver' | 'unknown'

/** The languages of {@link Finding.fixes}, in the order in which they are listed. */
export const LANGUAGES = ['node', 'python', 'go', 'ruby', 'php', 'java', 'csharp', 'perl', 'shell'] as const

/** A language of {@link Finding.fixes}. */
export type Language = (typeof LANGUAGES)[number]

/** One thing that is wrong with a request, and what to do about it. */
export interface Finding {
  /** The subject, which is stable across versions. */
  readonly code: FindingCode
  /** Who must act. */
  readonly side: Side
  /** The mistake, in one sentence. */
  readonly message: string
  /** The fix, for any language. */
  readonly fix: string
  /** The line to change, by language. The likeliest language comes first. */
  readonly fixes: { readonly [language in Language]?: string }
  /** The facts behind the finding, in one or more lines. They never contain the secret. */
  readonly evidence?: string
}

/** The result of {@link diagnose}. */
export interface Diagnosis {
  /** Whether the request passes every rule except the one about replays, which one request cannot show. */
  readonly genuine: boolean
  /** The most likely cause first. For a genuine request, only `secret_exposed` is possible. */
  readonly findings: readonly Finding[]
  /** The language of the sender, if `User-Agent` names it. */
  readonly language?: Language
  /**
   * The bytes that were signed, if the request is not genuine and its signature proves them. Compare them with
   * `timestamp:nonce:body` as received. If the request has a secret in its body, they have it too.
   */
  readonly signedMessage?: Uint8Array
}
