// Long work is a generator that yields after each step, so that other work of the process can run. Without steps, a large body would block
// the event loop for seconds.

/** Work in steps. After each step, it yields how much the step cost: about one per byte. */
export type Steps<Result> = Generator<number, Result, void>

/** Returns whether a function returned work in steps, and not already the result. */
export const isSteps = <Result>(work: Result | Steps<Result>): work is Steps<Result> =>
  typeof work === 'object' && work !== null && 'next' in work

/** Runs all steps without a pause, and returns the result. */
export function runSteps<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}
