/** The `Content-Type` that a body most likely has; the signature does not cover it. */
export function contentTypeOf(body: Uint8Array): string {
  try {
    JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
    return 'application/json'
  } catch {
    return 'application/octet-stream'
  }
}
