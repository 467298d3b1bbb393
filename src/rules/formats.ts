// The diagnosis uses these formats in a browser too. This file imports nothing, because a browser has no modules of Node.

/** The names of the three headers of a scheme, in lowercase. */
export interface HeaderNames {
  readonly timestamp: string
  readonly nonce: string
  readonly signature: string
}

export const HEADERS: HeaderNames = { timestamp: 'x-timestamp', nonce: 'x-nonce', signature: 'x-signature' }

/** Returns the usual spelling of a header's name, such as `X-Nonce` or `webhook-id`. */
export function spell(name: string): string {
  return name.replace(/^x-[a-z]/, (start) => start.toUpperCase())
}

/** The values of the three headers, unchanged. `undefined` means that the header is absent. */
export type HeaderValues = { readonly [Name in keyof HeaderNames]: string | undefined }

/** The values of the three headers, with the header names that the request uses. */
export interface NamedValues extends HeaderValues {
  readonly names: HeaderNames
}

/** Returns whether a value has the format of `X-Signature`: 64 lowercase hex digits. */
export function isSignature(value: string): boolean {
  return /^[0-9a-f]{64}$/.test(value)
}

/** Returns the length in a value of `Content-Length`, at most `Number.MAX_SAFE_INTEGER`, or `undefined` if the value is invalid. */
export function parseContentLength(value: string): number | undefined {
  const text = value.trim()
  return /^\d+$/.test(text) ? Math.min(Number(text), Number.MAX_SAFE_INTEGER) : undefined
}
