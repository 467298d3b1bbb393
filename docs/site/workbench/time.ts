/** Returns a time as `2023-11-14T22:13:20Z`. Returns the number itself if it is beyond all calendars. */
export function describeTime(milliseconds: number): string {
  if (Math.abs(milliseconds) > 8.64e15) return String(milliseconds)
  return new Date(milliseconds).toISOString().replace('.000', '')
}

/** Unix time has 10 digits in seconds until the year 2286, and 13 in milliseconds. */
const MAX_DIGITS_OF_SECONDS = 11

/** Parses Unix time in seconds or milliseconds, or a time with its zone. Returns NaN for any other text. */
export function parseTime(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text) * (text.length > MAX_DIGITS_OF_SECONDS ? 1 : 1000)
  return /:.*(Z|GMT|[+-]\d\d:?\d\d)$/i.test(text) ? Date.parse(text) : Number.NaN
}
