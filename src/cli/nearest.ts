/** How many slips a misspelt word may have: letters added, lost, changed, or swapped with their neighbours. */
const MOST_SLIPS = 2

/** The candidate that `word` most likely misspells; `undefined` if it is near none. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  return candidates
    .map((candidate) => ({ candidate, slips: slipsBetween(word, candidate) }))
    .filter(({ slips }) => slips <= Math.min(MOST_SLIPS, word.length - 1))
    .sort((one, other) => one.slips - other.slips)[0]?.candidate
}

/** The distance of Damerau and Levenshtein, in which a swap of neighbours is one slip (optimal string alignment). */
function slipsBetween(word: string, candidate: string): number {
  if (Math.abs(word.length - candidate.length) > MOST_SLIPS) return Number.POSITIVE_INFINITY
  const rows: number[][] = [Array.from({ length: candidate.length + 1 }, (_, column) => column)]
  const at = (row: number, column: number): number => rows[row]?.[column] ?? Number.POSITIVE_INFINITY
  for (let row = 1; row <= word.length; row++) {
    const cells = [row]
    rows.push(cells)
    for (let column = 1; column <= candidate.length; column++) {
      const [mine, theirs] = [word[row - 1], candidate[column - 1]]
      const swapped = row > 1 && column > 1 && mine === candidate[column - 2] && word[row - 2] === theirs
      cells.push(
        Math.min(
          at(row - 1, column) + 1,
          at(row, column - 1) + 1,
          at(row - 1, column - 1) + (mine === theirs ? 0 : 1),
          swapped ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      )
    }
  }
  return at(word.length, candidate.length)
}
