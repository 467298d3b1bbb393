/** The three headers that authenticate a request, in lowercase. */
export type HeaderName = 'x-timestamp' | 'x-nonce' | 'x-signature'

/** This file is separate, because the diagnosis also runs in a browser, which has no modules of Node. */
export const HEADER_NAMES: readonly HeaderName[] = ['x-timestamp', 'x-nonce', 'x-signature']

/** The values of the three headers, unchanged. `undefined` means that the header is absent. */
export interface HeaderValues {
  readonly timestamp: string | undefined
  readonly nonce: string | undefined
  readonly signature: string | undefined
}
