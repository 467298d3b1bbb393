import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

/** The bytes of this thread's objects and strings. */
export function heapInUse(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed
}

/** The bytes of this thread's array buffers. `arrayBuffers` does not count resizable ones, `external` does. */
export function arraysInUse(): number {
  // The first collection finds garbage. The second one frees its memory.
  collectGarbage()
  collectGarbage()
  return process.memoryUsage().external
}
