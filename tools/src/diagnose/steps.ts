/**
 * Work in steps: a generator that yields the cost of each step, about 1 per byte, so that other work of the process can run. Without steps, a
 * search would block the event loop for a second.
 */
export type Steps<Result> = Generator<number, Result, void>

/** Runs all steps without a pause and returns the result. */
export function runSteps<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}
