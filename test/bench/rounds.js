// Machines are shared and noisy: contestants take turns in short rounds, and what is compared is compared within a round.

/**
 * @typedef {object} Contestant
 * @property {string} name
 * @property {() => () => unknown} prepare - gets everything ready for one call, which is returned, and is not timed itself.
 * @property {(answer: unknown) => boolean} isRight - whether a call answered as it should; not timed either.
 */

/**
 * @typedef {object} Timing
 * @property {string} name
 * @property {number} nanoseconds - a call takes, in the median round.
 * @property {number} ratio - to the first contestant, in the median round.
 * @property {[number, number]} spread - of the ratio: its first and third quartiles.
 */

/**
 * Times the contestants in turns, in another order in each round.
 *
 * @param {readonly Contestant[]} contestants - the first is what the others are compared with.
 * @param {{ rounds: number, calls: number }} size - calls are those of one contestant in one round.
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

/** @param {number} length */
function shuffled(length) {
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
