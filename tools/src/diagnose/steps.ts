// Long work is split into steps, so that the caller can do other work between the steps. Without steps, a large body would block the event
// loop for seconds.

/** Work that yields the cost of each step, in the unit of the search budget, and returns the result. */
export type Steps<Result> = Generator<number, Result, void>

/** Returns whether a value is work in steps, and not already the result. */
export const isSteps = <Result>(work: Result | Steps<Result>): work is Steps<Result> =>
  typeof work === 'object' && work !== null && 'next' in work

/** Runs all steps without a pause, and returns the result. */
export function runSteps<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}
