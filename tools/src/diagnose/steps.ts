// Work in steps, so that the caller can do other work between them. Otherwise, a large body would block the event loop for seconds.

/** Yields the cost of each step, in the unit of the budget of the search, and returns the result. */
export type Steps<Result> = Generator<number, Result, void>

/** Returns whether a value is work in steps, and not the result of work. */
export const isSteps = <Result>(work: Result | Steps<Result>): work is Steps<Result> =>
  typeof work === 'object' && work !== null && 'next' in work

/** Runs all steps at once, and returns their result. */
export function runSteps<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}
