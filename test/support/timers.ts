import { setImmediate } from 'node:timers/promises'

/** Returns how many timers keep this process running. */
export function timersInUse(): number {
  return process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length
}

/**
 * Waits until no timer keeps this process running, such as those that vitest starts with a test. If another test of this thread has left
 * a timer that does not end, the test times out.
 */
export async function noTimers(): Promise<void> {
  while (timersInUse() > 0) await setImmediate()
}
