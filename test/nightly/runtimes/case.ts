import { RecordingStore, SECRET, TestClock } from '../../support/request.js'

export type Core = typeof import('../../../src/index.js')
type Arguments = Parameters<Core['verify']>

/** A check that must pass on every runtime. */
export interface Case {
  name: string
  run(): unknown
}

/** Returns the result of a request at the time of the tests: `accepted`, or the reason. */
export async function resultOf(
  { verify }: Core,
  request: Arguments[0],
  store: Arguments[2] = new RecordingStore(),
  clock: Arguments[3] = new TestClock(),
): Promise<string> {
  const result = await verify(request, SECRET, store, clock)
  return result.ok ? 'accepted' : result.reason
}
