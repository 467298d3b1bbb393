import { built } from './built.js'

// A global setup of vitest: ends the run if the build is missing or older than the source. Without it, each test of the faults would
// wait for processes that cannot start, fail, and be tried again.

export function setup(): void {
  built('index.js')
}
