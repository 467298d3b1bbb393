import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

/** Bytes in objects and strings that are in use. */
export function heapInUse(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed
}

/** Bytes in typed arrays and buffers that are in use. */
export function arraysInUse(): number {
  // What one collection finds to be garbage, the next gives back.
  collectGarbage()
  collectGarbage()
  return process.memoryUsage().arrayBuffers
}
