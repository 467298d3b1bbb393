import { setImmediate } from 'node:timers/promises'

/** Returns how many timers keep this process running. */
export function timersInUse(): number {
  return process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length
}

/**
 * Waits until no timer keeps this process running, such as those that vitest starts with a test. Fails if another test of this thread has
 * left a timer that does not end.
 */
export async function noTimers(): Promise<void> {
  const start = performance.now()
  while (timersInUse() > 0) {
    if (performance.now() - start > 90_000) throw new Error('A timer of another test is still running.')
    await setImmediate()
  }
}
