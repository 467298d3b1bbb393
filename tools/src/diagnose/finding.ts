/** The subject of a finding. The codes are stable across versions. The reference of findings shows the comment of each code. */
export type FindingCode =
  /** A header is absent. The sender did not send it, or a redirect, a proxy or a copy of the headers lost it. */
  | 'header_missing'
  /** A header is absent, but another header has a similar name. */
  | 'header_name'
  /** The headers and the signature are those of Standard Webhooks. The package has an entry for them. */
  | 'header_scheme'
  /** A header arrived more than once. Its values are joined with `, `, so they break the format rule. */
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
  /** The request has no time of arrival, so no other finding is about a clock. This finding is the last. */
  | 'clock_unknown'
  /** `X-Nonce` is empty, or has more than 128 characters. */
  | 'nonce_length'
  /** `X-Nonce` has a character that is not visible ASCII, such as a space or a newline. */
  | 'nonce_characters'
  /** `X-Nonce` was used by a request that was accepted before. Only `listen` has this finding, because it remembers nonces. */
  | 'nonce_reused'
  /** `X-Signature` is not 64 lowercase hex digits. It is in base64 or uppercase, has a prefix such as `sha256=` or a space inside, or is a JSON Web Token. */
  | 'signature_format'
  /** `X-Signature` has only a part of the right digits. The sender or the capture cut it. */
  | 'signature_truncated'
  /** `X-Signature` is the right digest except for one to three digits. The sender or the capture changed, lost or added them. */
  | 'signature_changed'
  /** `X-Signature` was made with another hash than SHA-256, or without HMAC. */
  | 'signature_algorithm'
  /** The secret itself is in a header, the URL or the body. In a header, it may be in base64 or hex. A valid request can have this finding too. */
  | 'secret_leaked'
  /** The key has white space or a newline at its start or end. Often `echo` or an editor added it. */
  | 'secret_whitespace'
  /** The key has quotation marks around it, because `docker run --env-file` and `kubectl --from-env-file` keep them. */
  | 'secret_quotes'
  /** A prefix such as `whsec_` was removed from the secret or added to it, or the receiver has `NAME=` before its secret. */
  | 'secret_prefix'
  /** One side decoded the secret from base64 or hex, or encoded it. If both forms can be read, either side may be wrong: Kubernetes shows the base64 of a secret. */
  | 'secret_encoding'
  /** The key is a hash of the secret. Or the receiver stored a hash, as for a password, but HMAC needs the secret itself. */
  | 'secret_hashed'
  /** A shell, a `.env` file, a URL or a form changed the secret, or something cut it. Or the key is the whole JSON of a secrets manager. */
  | 'secret_changed'
  /** The key is a placeholder, the name of a variable, or text such as `undefined`. Or the receiver has a masked secret, as a page shows it. */
  | 'secret_placeholder'
  /** The parts of the message are in another order, have another separator, or one of them is absent. Or the message has names of variables. */
  | 'message_layout'
  /** The signed timestamp is not the sent timestamp, often because the program reads the clock twice. Or it is a template without its value. */
  | 'message_timestamp'
  /** The signed nonce is not the sent nonce, often because the program creates it twice. Or the nonce is a template without its value, so that each request has the same one. */
  | 'message_nonce'
  /** The JSON was serialized twice, with different white space, escapes, names of fields or forms of numbers. */
  | 'body_json'
  /** A line break was added, removed or converted, often by `echo`, `curl -d` or `json.NewEncoder` of Go. */
  | 'body_newline'
  /** The text was encoded in two ways, such as Latin-1 and UTF-8, or was escaped. */
  | 'body_encoding'
  /** One of the two bodies is part of an envelope: an event of a queue or a function, a form, or a multipart body. */
  | 'body_wrapped'
  /** The sender signed the body before it compressed it, or something inflated the body before it was verified. */
  | 'body_compressed'
  /** The sender signed a hash of the body. */
  | 'body_hashed'
  /** The sender signed an empty body, or text such as `[object Object]`. */
  | 'body_not_signed'
  /** The body was changed or lost before it was verified: it is empty, or `Content-Length` or `Content-Encoding` does not match it. */
  | 'body_changed'
  /** No known mistake gives the received signature. The secrets differ, or the signed bytes differ from the received bytes. */
  | 'signature_mismatch'

/**
 * Who must act. `unknown` means that the request does not confirm which side must act. Example: the body was changed, and headers
 * such as `Via` show that the request passed a proxy.
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
  /** The facts behind the finding, in one or more lines that never contain the secret. */
  readonly evidence?: string
}

/** The result of {@link diagnose}. */
export interface Diagnosis {
  /** Whether the request passes every rule except the one about replays, which one request cannot show. */
  readonly valid: boolean
  /** The most likely cause first. For a valid request, only `secret_leaked` and `message_nonce` are possible. */
  readonly findings: readonly Finding[]
  /** The language of the sender, if `User-Agent` names it. */
  readonly language?: Language
  /**
   * The bytes that were signed, if the request is not valid and its signature confirms them. Compare them with
   * `timestamp:nonce:body` as received. If the body of the request has a secret, these bytes have the secret too.
   */
  readonly signedMessage?: Uint8Array
}
