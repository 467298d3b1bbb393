// Shared machines are noisy. So the contestants take turns in short rounds, and times are only compared within a round.

/**
 * @typedef {object} Contestant
 * @property {string} name
 * @property {() => () => unknown} prepare - prepares one call and returns it. The preparation is not timed.
 * @property {(answer: unknown) => boolean} isRight - checks the answer of a call. It is not timed.
 */

/**
 * @typedef {object} Timing
 * @property {string} name
 * @property {number} nanoseconds - the time of a call in the median round.
 * @property {number} ratio - the time divided by the first contestant's time, in the median round.
 * @property {[number, number]} spread - the first and third quartiles of the ratio.
 */

/**
 * Times the contestants in turns, in another order in each round.
 *
 * @param {readonly Contestant[]} contestants - the others are compared with the first.
 * @param {{ rounds: number, calls: number }} size - `calls` is the number of calls per contestant and round.
 * @returns {Promise<Timing[]>}
 */
export async function inTurns(contestants, { rounds, calls }) {
  const times = contestants.map(() => /** @type {number[]} */ ([]))
  const warmUp = Math.ceil(rounds / 5)
  for (let round = -warmUp; round < rounds; round++) {
    for (const turn of shuffled(contestants.length)) {
      const contestant = /** @type {Contestant} */ (contestants[turn])
      const prepared = Array.from({ length: calls }, contestant.prepare)
      const answers = []
      const start = process.hrtime.bigint()
      for (const call of prepared) {
        const answer = call()
        answers.push(answer instanceof Promise ? await answer : answer)
      }
      const time = Number(process.hrtime.bigint() - start) / calls
      if (!answers.every(contestant.isRight)) throw new Error(`${contestant.name} answered wrongly`)
      if (round >= 0) times[turn]?.push(time)
    }
  }
  return timingsOf(contestants, times)
}

/**
 * Returns the timings of contestants.
 *
 * @param {readonly { name: string }[]} contestants - the others are compared with the first.
 * @param {readonly (readonly number[])[]} times - the nanoseconds of each contestant in each round.
 * @returns {Timing[]}
 */
export function timingsOf(contestants, times) {
  return contestants.map(({ name }, turn) => {
    const own = times[turn] ?? []
    const ratios = own.map((time, round) => time / (times[0]?.[round] ?? Number.NaN))
    return {
      name,
      nanoseconds: quantile(own, 0.5),
      ratio: quantile(ratios, 0.5),
      spread: [quantile(ratios, 0.25), quantile(ratios, 0.75)],
    }
  })
}

/** Returns the numbers from 0 to `length` - 1 in a random order. @param {number} length */
export function shuffled(length) {
  return Array.from({ length }, (_, index) => ({ index, key: Math.random() }))
    .sort((one, other) => one.key - other.key)
    .map(({ index }) => index)
}

/**
 * @param {readonly number[]} values
 * @param {number} share - from 0 to 1; 0.5 is the median.
 */
export function quantile(values, share) {
  const sorted = [...values].sort((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
}
