import { expect, it, onTestFinished, vi } from 'vitest'
import { Gate, sendRequest } from '../../src/cli/http-client.js'
import { type Answer, serve } from '../resources.js'

it('a gate for three requests opens 300 ms after the first, if the others do not come', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const gate = new Gate(3)
  let passed = 0
  const pass = () => void gate.pass().then(() => passed++)
  pass()
  await vi.advanceTimersByTimeAsync(100)
  pass()
  await vi.advanceTimersByTimeAsync(199)
  expect(passed).toBe(0)
  await vi.advanceTimersByTimeAsync(1)
  expect(passed).toBe(2)
})

it.each<[string, Answer]>([
  ['more bytes', (_, response) => response.end('a'.repeat(2 ** 14 + 1))],
  [
    'no end',
    (_, response) => {
      const write = () => {
        while (response.write('a'.repeat(2 ** 16)));
      }
      response.on('drain', write)
      write()
    },
  ],
])('only 16 KiB of a response are read if it has %s', async (_, answer) => {
  const url = new URL((await serve(answer)).origin)
  const { body } = await sendRequest({ method: 'POST', url, headers: [['Host', url.host]], body: new Uint8Array() }, 60)
  expect(body).toBe('a'.repeat(2 ** 14))
})
