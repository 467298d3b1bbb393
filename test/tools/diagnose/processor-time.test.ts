import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { BODIES } from './processor-time.js'

const PROGRAM = fileURLToPath(new URL('processor-time.js', import.meta.url))

/** Milliseconds of the processor: twice what quotes in quotes need, the slowest of all, because some machines are slow. */
const LIMIT = 6_000

it.each(Object.keys(BODIES))('takes at most 6 s of the processor: %s', (name) => {
  const milliseconds = Number(execFileSync(process.execPath, [PROGRAM, name], { encoding: 'utf8' }))
  expect(milliseconds).toBeGreaterThan(0)
  expect(milliseconds).toBeLessThan(LIMIT)
})
