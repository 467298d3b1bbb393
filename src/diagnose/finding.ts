/**
 * What a finding is about, stable across versions.
 *
 * - `header_*`, `timestamp_*`, `nonce_*`: what is wrong with the headers as received.
 * - `clock_*`: one of the two clocks, or a request that is older than the window.
 * - `signature_*`, `secret_*`, `message_*`, `body_*`: the way of signing that gives the signature received, proved by making it.
 * - `signature_mismatch`: no known way of signing gives it.
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
  | 'clock_unreadable'
  | 'nonce_length'
  | 'nonce_characters'
  | 'signature_format'
  | 'signature_truncated'
  | 'signature_algorithm'
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

/** One thing that is wrong with a request, and what to do about it. */
export interface Finding {
  /** What it is about, stable across versions. */
  readonly code: FindingCode
  /** What is wrong, in one sentence. */
  readonly message: string
  /** On whose side the fix is, and the line to change. */
  readonly fix: string
  /** What the finding rests on, in one or several lines. Never the secret. */
  readonly evidence?: string
}
