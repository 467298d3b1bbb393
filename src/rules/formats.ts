// The formats that the diagnosis needs in a browser too. This file imports nothing, because a browser has no modules of Node.

/** The three headers that authenticate a request, in lowercase. */
export type HeaderName = 'x-timestamp' | 'x-nonce' | 'x-signature'

export const HEADER_NAMES: readonly HeaderName[] = ['x-timestamp', 'x-nonce', 'x-signature']

/** The values of the three headers, unchanged. `undefined` means that the header is absent. */
export interface HeaderValues {
  readonly timestamp: string | undefined
  readonly nonce: string | undefined
  readonly signature: string | undefined
}

/** Checks the format of `X-Signature`: 64 lowercase hex digits. */
export function isSignature(value: string): boolean {
  return /^[0-9a-f]{64}$/.test(value)
}
