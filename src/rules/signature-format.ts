/**
 * Checks the format of `X-Signature`: 64 lowercase hex digits. This file imports nothing, so that the diagnosis runs in a browser.
 */
export function isSignature(value: string): boolean {
  return /^[0-9a-f]{64}$/.test(value)
}
