import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { BODIES } from './processor-time.js'

const PROGRAM = fileURLToPath(new URL('processor-time.js', import.meta.url))

/** Twice what quotes in quotes need, the slowest of all. */
const LIMIT = 20

it.each(Object.keys(BODIES))('takes at most 20 times as long as an ordinary body: %s', (name) => {
  const ratio = Number(execFileSync(process.execPath, [PROGRAM, name], { encoding: 'utf8' }))
  expect(ratio).toBeGreaterThan(0)
  expect(ratio).toBeLessThan(LIMIT)
})
