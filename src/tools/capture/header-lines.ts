/** One header, as written. */
export type HeaderLine = readonly [name: string, value: string]

/** Parses `Name: value`. The name may begin with a colon, as a pseudo-header of HTTP/2 does. */
export function parseHeader(line: string): HeaderLine | undefined {
  const [, name, value] = /^(:?[!#$%&'*+.^_`|~0-9A-Za-z-]+):(.*)$/s.exec(line) ?? []
  // White space around the value does not belong to it (RFC 9110, section 5.5). The lookbehind keeps the time linear.
  return name && value !== undefined ? [name, value.replace(/^[ \t]+|(?<![ \t])[ \t]+$/g, '')] : undefined
}

/** Returns the values of a header, whose name is lowercase. */
export function valuesOf(headers: readonly HeaderLine[], wanted: string): string[] {
  return headers.filter(([name]) => name.toLowerCase() === wanted).map(([, value]) => value)
}

/** Returns `Content-Length`, or `undefined` if there is none or several disagree. */
export function contentLengthOf(headers: readonly HeaderLine[]): number | undefined {
  const [text = '', ...others] = new Set(valuesOf(headers, 'content-length'))
  return /^\d{1,15}$/.test(text) && others.length === 0 ? Number(text) : undefined
}

/** Headers that only requests have. */
const OF_REQUESTS = /^(:method|:path|host|user-agent|accept)$|signature|nonce|^x-(.+-)?timestamp$/i

/** Checks whether headers are those of a request, because other text has lines of names and values too. */
export function areOfRequest(headers: readonly HeaderLine[]): boolean {
  return headers.some(([name]) => OF_REQUESTS.test(name))
}
