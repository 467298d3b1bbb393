/** A secret of fewer bits can be guessed from one captured request, without asking the endpoint. */
const MIN_BITS = 80

/** A word counts little, because people choose from few words. */
const BITS_PER_WORD = 8
const WORD = /[A-Za-z][a-z]{2,}|[A-Z]{3,}/g
const MAX_WORD = 8

/** Hex has four bits per letter, base64 six. */
const BITS_PER_LETTER = 5

/**
 * Checks whether a secret can be guessed, because it is short or made of words. This is an estimate, which 32 random
 * bytes pass.
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

/** Removes each character that equals the character before it, or follows it in order: `1234` becomes `1`. */
function withoutSequences(text: string): string {
  return text.replace(/./gs, (character, index: number) =>
    Math.abs(character.charCodeAt(0) - text.charCodeAt(index - 1)) <= 1 ? '' : character,
  )
}
