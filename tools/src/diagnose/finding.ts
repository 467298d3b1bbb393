/** What a finding is about. The codes are stable across versions. The guide to the findings shows the comment above each code. */
export type FindingCode =
  /** A header is missing. The sender did not send it, or a redirect, a proxy or code that copies headers lost it. */
  | 'header_missing'
  /** A header is missing, but another header has a similar name. */
  | 'header_name'
  /** A header arrived more than once. Its values are joined with `, `, so the result has a wrong format. */
  | 'header_repeated'
  /** `X-Timestamp` has the value of `X-Nonce`, and `X-Nonce` has the value of `X-Timestamp`. */
  | 'header_swapped'
  /** `X-Timestamp` has characters that are not decimal digits. */
  | 'timestamp_format'
  /** `X-Timestamp` is in milliseconds, nanoseconds, minutes, days or another unit, not in seconds, or has too many digits. */
  | 'timestamp_unit'
  /** `X-Timestamp` does not count from 1970-01-01, has too few digits, or was never set. */
  | 'timestamp_epoch'
  /** `X-Timestamp` is off by a time zone, such as 1 h. Local time was used as UTC, or a retry was not signed again. */
  | 'clock_time_zone'
  /** `X-Timestamp` is more than 300 s behind server time. The request waited after it was signed, or a clock is wrong. */
  | 'clock_behind'
  /** `X-Timestamp` is more than 300 s ahead of server time, because a clock is wrong. */
  | 'clock_ahead'
  /** The time of arrival is unknown, so `X-Timestamp` was not compared with a clock. */
  | 'clock_unknown'
  /** `X-Nonce` is empty, or has more than 128 characters. */
  | 'nonce_length'
  /** `X-Nonce` has a character that is not visible ASCII, such as a space or a newline. */
  | 'nonce_characters'
  /** A request with the same `X-Nonce` was accepted before. Only `listen` reports this, because it remembers nonces. */
  | 'nonce_reused'
  /** `X-Signature` is not 64 lowercase hex digits. For example, it is in base64 or uppercase, is a JWT, or has a prefix such as `sha256=`. */
  | 'signature_format'
  /** `X-Signature` is only a part of the right digest. The sender or the capture cut it. */
  | 'signature_truncated'
  /** `X-Signature` is the right digest except for one to three digits. The sender or the capture changed, removed or added these digits. */
  | 'signature_changed'
  /** `X-Signature` was made with a hash other than SHA-256, or without HMAC. */
  | 'signature_algorithm'
  /** The secret itself is in a header, the URL or the body, maybe as base64 or hex. A valid request can have this finding too. */
  | 'secret_leaked'
  /** The key has white space or a newline at its start or end. Often, `echo` or an editor added a newline. */
  | 'secret_whitespace'
  /** The key is in quotes. For example, `docker run --env-file` and `kubectl --from-env-file` keep quotes. */
  | 'secret_quotes'
  /** One side uses the secret with a prefix such as `whsec_`, and the other side without it. Or the receiver stored `NAME=` with the secret. */
  | 'secret_prefix'
  /** One side decoded the secret from base64 or hex, or encoded it. For example, Kubernetes shows a secret in base64. */
  | 'secret_encoding'
  /** The key is a hash of the secret, or the receiver stored only a hash, as for passwords. HMAC needs the secret itself. */
  | 'secret_hashed'
  /** A shell, a `.env` file, a URL or a form changed or cut the secret. Or the key is the whole JSON of a secrets manager. */
  | 'secret_changed'
  /** The key is a placeholder, the name of a variable, or text such as `undefined`. Or the receiver copied a masked secret from a page. */
  | 'secret_placeholder'
  /** The signed message has another order, separator or format such as JSON, a missing or extra part, or variables that were not expanded. */
  | 'message_layout'
  /** The signed timestamp is not the sent timestamp. Often, the clock was read twice, or a placeholder was not filled in. */
  | 'message_timestamp'
  /** The signed nonce is not the sent nonce, often because there are two. Or `X-Nonce` is a placeholder, so every request has the same nonce. */
  | 'message_nonce'
  /** The JSON was serialized again to send or verify it, and the two texts differ in spaces, escapes, field names or number formats. */
  | 'body_json'
  /** A newline was added, removed or changed, often by `echo`, `curl -d` or Go's `json.NewEncoder`. */
  | 'body_newline'
  /** The text was signed and sent in different encodings, such as Latin-1 and UTF-8, or with different escapes. */
  | 'body_encoding'
  /** Only the signed body or only the received body is in an envelope, such as a queue message, a form or a multipart body. */
  | 'body_wrapped'
  /** The body was signed before it was compressed, or was decompressed before it was verified. */
  | 'body_compressed'
  /** The sender signed a hash of the body. */
  | 'body_hashed'
  /** The sender signed an empty body, or text such as `[object Object]`. */
  | 'body_not_signed'
  /** The body is empty or cut, its length is not `Content-Length`, or a shell or a template changed it. */
  | 'body_changed'
  /** No known mistake explains the signature. The secrets differ, or the signed bytes differ from the received bytes. */
  | 'signature_mismatch'

/** Who must act. `unknown` means that the request does not show this, for example because a proxy may have changed the body. */
export type Side = 'sender' | 'receiver' | 'unknown'

/** The languages in which findings show a line of code. */
export const LANGUAGES = ['node', 'python', 'go', 'ruby', 'php', 'java', 'csharp', 'perl', 'shell'] as const

/** A language in which findings show a line of code. */
export type Language = (typeof LANGUAGES)[number]

/** One thing that is wrong with a request, and what to do about it. */
export interface Finding {
  /** What the finding is about. The code is stable across versions. */
  readonly code: FindingCode
  /** Who must act. */
  readonly side: Side
  /** The mistake, in one sentence. */
  readonly message: string
  /** What to do, for any language. */
  readonly fix: string
  /** The line of code to change, by language. The likeliest language comes first. */
  readonly fixes: { readonly [language in Language]?: string }
  /** The facts behind the finding, in one or more lines that never contain the secret. */
  readonly evidence?: string
}

/** The result of {@link diagnose}. */
export interface Diagnosis {
  /** Whether the request meets every rule. Replays are not checked, because one request cannot show whether it is a replay. */
  readonly valid: boolean
  /** The findings, the likeliest cause first. A valid request can only have `secret_leaked` and `message_nonce`. */
  readonly findings: readonly Finding[]
  /** The language of the sender, if `User-Agent` names it. */
  readonly language?: Language
  /** The bytes that the sender of an invalid request signed, if they were found. These bytes contain the secret if the body contains it. */
  readonly signedMessage?: Uint8Array
}
