import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import type { NonceStore } from '../../../src/index.js'
import { newRequest, send } from './load.js'

/**
 * Checks that a store is closed while its server hangs, and refuses calls afterwards.
 *
 * @param closers - the functions that the test calls at its end.
 */
export async function expectToClose(
  nonceStore: NonceStore & { close(): Promise<void> },
  server: { signal(signal: NodeJS.Signals): unknown },
  closers: (() => unknown)[],
): Promise<void> {
  // Each of several calls at once opens a connection.
  await Promise.all(Array.from({ length: 5 }, () => send(newRequest(), nonceStore)))
  await server.signal('SIGSTOP')
  closers.push(() => server.signal('SIGCONT'))
  // On a machine under load, the server stops a little later.
  await sleep(100)
  const pending = send(newRequest(), nonceStore)
  await sleep(50)
  await nonceStore.close()
  await nonceStore.close()
  expect(await pending).toBe('ERR_NONCE_STORE')
  await expect(nonceStore.reserve('42', 'nonce', 600)).rejects.toThrow('The nonce store is closed.')
}
