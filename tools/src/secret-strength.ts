/** The minimum strength of a secret, in bits. A weaker secret can be guessed, because one captured request is enough to test guesses. */
const MIN_BITS = 80

/** A word counts as few bits, because people choose from few words. Each 8 letters of a long word count as one word. */
const BITS_PER_WORD = 8
const WORD = /[A-Za-z][a-z]{2,}|[A-Z]{3,}/g
const MAX_WORD = 8

/** The bits of a letter or digit. In hex, this is four bits, and in base64 six. */
const BITS_PER_LETTER = 5

/** Returns whether a secret can probably be guessed, because it is short or made of words. 32 random bytes cannot be guessed. */
export function isGuessable(secret: string): boolean {
  const words = new Set<string>()
  const others = withoutSequences(secret).replace(WORD, (word) => {
    if (!/[aeiouy]/i.test(word)) return word
    for (let start = 0; start < word.length; start += MAX_WORD) words.add(word.slice(start, start + MAX_WORD))
    return ''
  })
  const letters = others.replace(/[^0-9A-Za-z]/g, '')
  return words.size * BITS_PER_WORD + letters.length * BITS_PER_LETTER < MIN_BITS
}

/** Returns the text without repeated characters and without sequences: `aaaa` becomes `a`, and `1234` becomes `1`. */
function withoutSequences(text: string): string {
  return text.replace(/./gs, (character, index: number) =>
    Math.abs(character.charCodeAt(0) - text.charCodeAt(index - 1)) <= 1 ? '' : character,
  )
}
