/** A secret with fewer bits can be guessed from one captured request, because an attacker can test guesses without the endpoint. */
const MIN_BITS = 80

/** A word has few bits, because people choose from few words. */
const BITS_PER_WORD = 8
const WORD = /[A-Za-z][a-z]{2,}|[A-Z]{3,}/g
const MAX_WORD = 8

/** Hex has four bits per letter, base64 six. */
const BITS_PER_LETTER = 5

/**
 * Returns whether a secret can probably be guessed, because it is short or made of words. 32 random bytes never count as
 * guessable.
 */
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

/** Returns text without each character that equals the character before it, or follows it in order: `1234` becomes `1`. */
function withoutSequences(text: string): string {
  return text.replace(/./gs, (character, index: number) =>
    Math.abs(character.charCodeAt(0) - text.charCodeAt(index - 1)) <= 1 ? '' : character,
  )
}
