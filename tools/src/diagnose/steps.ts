// Long work is a generator that yields after each step, so that other work of the process can run. Without steps, a large body would block
// the event loop for seconds.

/** Work in steps. Each step yields its cost, which is about 1 per byte. */
export type Steps<Result> = Generator<number, Result, void>

/** Returns whether a function returned work in steps, instead of the result. */
export const isSteps = <Result>(work: Result | Steps<Result>): work is Steps<Result> =>
  typeof work === 'object' && work !== null && 'next' in work

/** Runs all steps without a pause, and returns the result. */
export function runSteps<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}
