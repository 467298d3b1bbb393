/** A string as a language writes it, quotes included, from the text that it stands for. */
export type StringStyle = (text: string) => string

const SHORT: { readonly [character: string]: string } = {
  '"': '\\"',
  '\\': '\\\\',
  '/': '\\/',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\f': '\\f',
  '\r': '\\r',
}

/** A string between quotes, what matches being escaped: briefly if it may be, as \uXXXX otherwise. */
export function quoted(matches: RegExp, never = '', uppercase = 0): StringStyle {
  const escaped = (character: string) => {
    const short = SHORT[character]
    if (short !== undefined && !never.includes(character)) return short
    const code = character.charCodeAt(0)
    const digits = code.toString(16).padStart(4, '0')
    return `\\u${code < uppercase ? digits.toUpperCase() : digits}`
  }
  return (text) => `"${text.replace(matches, escaped)}"`
}

/* biome-ignore-start lint/suspicious/noControlCharactersInRegex: JSON escapes them. */
/** As Python's json.dumps writes a string. */
export const asciiString = quoted(/["\\\x00-\x1f\x7f-\uffff]/g)

/** As PHP's json_encode writes a string. */
export const phpString = quoted(/["\\/\x00-\x1f\x80-\uffff]/g)
/* biome-ignore-end lint/suspicious/noControlCharactersInRegex: JSON escapes them. */

/** As Python's repr prints a string. */
export function pythonString(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'"
  const body = text.replace(/[\\\n\r\t]/g, (character) => SHORT[character] as string).replaceAll(quote, `\\${quote}`)
  return quote + body + quote
}
