import { setImmediate } from 'node:timers/promises'

/** Returns how many timers keep this process running. */
export function timersInUse(): number {
  return process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length
}

/**
 * Waits until the timers that vitest starts with a test have ended, and returns how many timers are left. Another file of the same
 * thread may have left one that never ends.
 */
export async function timersLeft(): Promise<number> {
  const start = performance.now()
  while (timersInUse() > 0 && performance.now() - start < 2000) await setImmediate()
  return timersInUse()
}
