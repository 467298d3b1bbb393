/** The subject of a finding. The codes are stable across versions. The reference of findings shows the comment of each code. */
export type FindingCode =
  /** A header is absent. The sender did not send it, or a redirect, a proxy or a copy of the headers lost it. */
  | 'header_missing'
  /** A header is absent, but another header has a similar name. */
  | 'header_name'
  /** The headers and the signature are those of Standard Webhooks. Use the entry `standard-webhooks` of the package. */
  | 'header_scheme'
  /** A header arrived more than once. The values are joined with `, `, so the joined value breaks the format rule. */
  | 'header_repeated'
  /** `X-Timestamp` and `X-Nonce` have each other's values. */
  | 'header_swapped'
  /** `X-Timestamp` has other characters than decimal digits. */
  | 'timestamp_format'
  /** `X-Timestamp` counts milliseconds, microseconds, nanoseconds or minutes instead of seconds, or has too many digits. */
  | 'timestamp_unit'
  /** `X-Timestamp` counts from another date than 1970-01-01, has too few digits, or the sender did not set it. */
  | 'timestamp_epoch'
  /** `X-Timestamp` is off by whole hours or quarters of an hour: the sender used a local time as UTC, or the request is a retry that was not signed again. */
  | 'clock_time_zone'
  /** `X-Timestamp` is more than 300 s behind server time. The request waited after it was signed, or a clock is wrong. */
  | 'clock_behind'
  /** `X-Timestamp` is more than 300 s ahead of server time, because a clock is wrong. */
  | 'clock_ahead'
  /** The request has no time of arrival, so there is no finding about a clock. This finding comes last. */
  | 'clock_unknown'
  /** `X-Nonce` is empty, or has more than 128 characters. */
  | 'nonce_length'
  /** `X-Nonce` has a character that is not visible ASCII, such as a space or a newline. */
  | 'nonce_characters'
  /** `X-Nonce` was used by a request that was accepted before. Only `listen` reports this finding, because `listen` remembers nonces. */
  | 'nonce_reused'
  /** `X-Signature` is not 64 lowercase hex digits. The signature is in base64 or uppercase, has a prefix such as `sha256=` or a space inside, or is a JSON Web Token. */
  | 'signature_format'
  /** `X-Signature` has only a part of the right digits. The sender or the capture cut the header. */
  | 'signature_truncated'
  /** `X-Signature` is the right digest except for one to three digits. The sender or the capture changed, lost or added these digits. */
  | 'signature_changed'
  /** `X-Signature` was made with another hash than SHA-256, or without HMAC. */
  | 'signature_algorithm'
  /** The secret itself is in a header, the URL or the body. In a header, the secret may be in base64 or hex. A valid request can have this finding too. */
  | 'secret_leaked'
  /** The key has white space or a newline at its start or end. Often `echo` or an editor added the newline. */
  | 'secret_whitespace'
  /** The key has quotation marks around it, because `docker run --env-file` and `kubectl --from-env-file` keep quotation marks. */
  | 'secret_quotes'
  /** A prefix such as `whsec_` was removed from the secret or added to the secret, or the receiver has `NAME=` before the secret. */
  | 'secret_prefix'
  /** One side decoded the secret from base64 or hex, or encoded the secret. If both forms are readable text, either side may be wrong. For example, Kubernetes shows a secret in base64. */
  | 'secret_encoding'
  /** The key is a hash of the secret, or the receiver stored a hash, as for a password. HMAC needs the secret itself. */
  | 'secret_hashed'
  /** A shell, a `.env` file, a URL or a form changed or truncated the secret, or the key is the whole JSON of a secrets manager. */
  | 'secret_changed'
  /** The key is a placeholder, the name of a variable, or text such as `undefined`, or the receiver has a masked secret from a web page. */
  | 'secret_placeholder'
  /** The message has another order of its parts, another separator, a missing part, or names of variables. */
  | 'message_layout'
  /** The signed timestamp is not the sent timestamp, often because the program reads the clock twice, or because a placeholder was not filled in. */
  | 'message_timestamp'
  /** The signed nonce is not the sent nonce, often because the program creates two nonces, or because a placeholder was not filled in, so that each request has the same nonce. */
  | 'message_nonce'
  /** The JSON was serialized twice, with different white space, escapes, names of fields or forms of numbers. */
  | 'body_json'
  /** A line break was added, removed or converted, often by `echo`, `curl -d` or `json.NewEncoder` of Go. */
  | 'body_newline'
  /** The text was signed and sent in different encodings, such as Latin-1 and UTF-8, or with different escapes. */
  | 'body_encoding'
  /** The signed body or the received body is inside an envelope: an event of a queue or a function, a form, or a multipart body. */
  | 'body_wrapped'
  /** The sender signed the body before it compressed it, or something inflated the body before it was verified. */
  | 'body_compressed'
  /** The sender signed a hash of the body. */
  | 'body_hashed'
  /** The sender signed an empty body, or text such as `[object Object]`. */
  | 'body_not_signed'
  /** The body was changed or lost before it was verified: the body is empty, or does not match `Content-Length` or `Content-Encoding`. */
  | 'body_changed'
  /** No known mistake gives the received signature. The secrets differ, or the signed bytes differ from the received bytes. */
  | 'signature_mismatch'

/**
 * Who must act. `unknown` means that the request does not confirm which side must act, for example if a proxy may have changed the body.
 */
export type Side = 'sender' | 'receiver' | 'unknown'

/** The languages of {@link Finding.fixes}, in the order in which they are listed. */
export const LANGUAGES = ['node', 'python', 'go', 'ruby', 'php', 'java', 'csharp', 'perl', 'shell'] as const

/** A language of {@link Finding.fixes}. */
export type Language = (typeof LANGUAGES)[number]

/** One thing that is wrong with a request, and what to do about it. */
export interface Finding {
  /** What the finding is about. The code is stable across versions. */
  readonly code: FindingCode
  /** Who must act. */
  readonly side: Side
  /** The mistake, in one sentence. */
  readonly message: string
  /** The fix, for any language. */
  readonly fix: string
  /** The line to change, by language. The likeliest language comes first. */
  readonly fixes: { readonly [language in Language]?: string }
  /** The facts behind the finding, in one or more lines that never contain the secret. */
  readonly evidence?: string
}

/** The result of {@link diagnose}. */
export interface Diagnosis {
  /** Whether the request passes every rule. The rule about replays is not checked, because a single request cannot show a replay. */
  readonly valid: boolean
  /** The most likely cause first. For a valid request, only `secret_leaked` and `message_nonce` are possible. */
  readonly findings: readonly Finding[]
  /** The language of the sender, if `User-Agent` names it. */
  readonly language?: Language
  /** The bytes that were signed, if the signature of an invalid request confirms them. A secret in the body is in these bytes too. */
  readonly signedMessage?: Uint8Array
}
