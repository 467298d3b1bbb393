/**
 * The candidate that `word` most likely misspells; `undefined` if it is near none.
 *
 * @param mostSlips - how many slips it may have: letters added, lost, changed, or swapped with their neighbours.
 * @internal
 */
export function nearest(word: string, candidates: readonly string[], mostSlips = 2): string | undefined {
  return candidates
    .filter((candidate) => Math.abs(word.length - candidate.length) <= mostSlips)
    .map((candidate) => ({ candidate, slips: slipsBetween(word, candidate) }))
    .filter(({ slips }) => slips <= Math.min(mostSlips, word.length - 1))
    .sort((one, other) => one.slips - other.slips)[0]?.candidate
}

/** The distance of Damerau and Levenshtein, in which a swap of neighbours is one slip (optimal string alignment). */
function slipsBetween(word: string, candidate: string): number {
  const width = candidate.length + 1
  // A table of the slips between the beginnings of both, row by row.
  const slips: number[] = []
  const at = (row: number, column: number): number => Number(slips[row * width + column])
  for (let row = 0; row <= word.length; row++) {
    for (let column = 0; column < width; column++) {
      if (row === 0 || column === 0) {
        slips.push(row + column)
        continue
      }
      const [mine, theirs] = [word[row - 1], candidate[column - 1]]
      const changed = at(row - 1, column - 1) + (mine === theirs ? 0 : 1)
      const added = at(row, column - 1) + 1
      const lost = at(row - 1, column) + 1
      const isSwap = row > 1 && column > 1 && mine === candidate[column - 2] && word[row - 2] === theirs
      slips.push(Math.min(changed, added, lost, isSwap ? at(row - 2, column - 2) + 1 : changed))
    }
  }
  return at(word.length, candidate.length)
}
