import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { SECRET } from '../../../test/support/request.js'
import { readInput } from '../../src/cli/input/read-input.js'
import { call, capture, FROM_ENV } from './call.js'

const MIB = Buffer.alloc(2 ** 20)

/** Standard input of a number of MiB, and then of a few bytes. Counts the pieces that were read. */
function inputOf(count: number, rest: string) {
  let read = 0
  function* pieces() {
    for (; read < count; read++) yield MIB
    yield Buffer.from(rest)
  }
  return { context: { stdin: Readable.from(pieces()) } as never, read: () => read }
}

it('reads up to 64 MiB, and no more', async () => {
  const whole = await readInput('-', 'the body', inputOf(64, '').context)
  expect(whole).toHaveLength(64 * 2 ** 20)
  const tooLong = 'Cannot read the body from standard input: the input is larger than 64 MiB.'
  await expect(readInput('-', 'the body', inputOf(64, 'a').context)).rejects.toThrow(tooLong)
  const endless = inputOf(1000, '')
  await expect(readInput('-', 'the body', endless.context)).rejects.toThrow(tooLong)
  expect(endless.read()).toBeLessThan(70)
})

it('a capture comes from standard input if no file and no header is given', async () => {
  const { text } = await call(['diagnose', ...FROM_ENV, '--at', 'timestamp'], { stdin: capture('a body') })
  expect(text).toMatch(/^Valid: /)
  const { said } = await call(['diagnose', ...FROM_ENV], { isTTY: true })
  expect(said).toContain('Missing the captured request. Pass a file, pipe the input in, or pass - to type the input.')
})

it('a file is read although standard input is a terminal', async () => {
  const { said } = await call(['sign', 'none.json', ...FROM_ENV], { isTTY: true, env: { WEBHOOK_SECRET: SECRET } })
  expect(said).toContain('Cannot read the body "none.json": no such file or directory.')
})
