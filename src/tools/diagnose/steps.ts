// Work in steps. The caller can do other work after each step, because a large body would block the event loop for seconds.

/** Yields the cost of each step, in the unit of the budget of the search, and returns the result. */
export type Steps<Result> = Generator<number, Result, void>

/** Runs all steps at once. */
export function runSteps<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}
