/** Draws whole numbers and records them. A case depends only on its list of numbers. A smaller list gives a smaller case. */
export class Choices {
  readonly taken: number[] = []

  constructor(readonly source: () => number) {}

  /** Returns the numbers of a list, and then zeros. */
  static of(numbers: readonly number[]): Choices {
    let index = 0
    return new Choices(() => numbers[index++] ?? 0)
  }

  /** Returns a number from 0 to `limit - 1`. */
  below(limit: number): number {
    const choice = this.source() % limit
    this.taken.push(choice)
    return choice
  }

  /** Returns true with a probability of 1 / `count`. In a list of zeros, this is always false. */
  oneIn(count: number): boolean {
    return this.below(count) === count - 1 && count > 1
  }

  /**
   * Decides after each item whether there is another one. On average there are `average` items. The list has no number
   * for their count, so each item can be removed alone.
   */
  *rounds(average: number): Generator<number> {
    for (let round = 0; this.below(average + 1) > 0; round++) yield round
  }

  /** Put the simplest value first. */
  pick<T>(values: readonly T[]): T {
    return values[this.below(values.length)] as T
  }
}

/** Random numbers of 32 bits from a seed: sfc32 (C. Doty-Humphrey). */
export function randomFrom(seed: number): () => number {
  let [a, b, c, counter] = [0, seed, Math.floor(seed / 2 ** 32), 1]
  const next = () => {
    const sum = (a + b + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + sum) | 0
    return sum >>> 0
  }
  for (let round = 0; round < 12; round++) next()
  return next
}

/** The numbers of one request are at most about this many. */
const LONGEST_PART = 40

/**
 * Makes a list of numbers smaller while `isStillBad` returns true. It removes parts, and lowers the other numbers.
 *
 * @param tries - the largest number of calls.
 */
export async function shrink(
  numbers: readonly number[],
  isStillBad: (numbers: readonly number[]) => Promise<boolean>,
  tries = 50_000,
): Promise<readonly number[]> {
  let best = numbers
  let left = tries
  const attempt = async (candidate: readonly number[]) => {
    if (left-- <= 0 || !(await isStillBad(candidate))) return false
    best = candidate
    return true
  }
  let before: readonly number[]
  do {
    before = best
    for (let size = best.length >> 1; size > 0; size = size > LONGEST_PART ? size >> 1 : size - 1) {
      for (let start = best.length - size; start >= 0; start--) {
        await attempt([...best.slice(0, start), ...best.slice(start + size)])
      }
    }
    for (let index = 0; index < best.length; index++) {
      for (let lowered = true; lowered; ) {
        const value = best[index] as number
        lowered = false
        for (const lower of new Set([0, value >> 1, value - 1])) {
          lowered ||= lower >= 0 && lower < value && (await attempt(best.with(index, lower)))
        }
      }
    }
  } while (best !== before && left > 0)
  return best
}
