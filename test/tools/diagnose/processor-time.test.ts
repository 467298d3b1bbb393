import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { BODIES } from './processor-time.js'

const PROGRAM = fileURLToPath(new URL('processor-time.js', import.meta.url))

/**
 * Milliseconds of the processor: more than twice what the slowest body needs on a busy machine. bound.test.ts counts the work. A body
 * without a bound takes minutes.
 */
const LIMIT = 15_000

it.each(Object.keys(BODIES))('takes at most 15 s of the processor: %s', (name) => {
  const milliseconds = Number(execFileSync(process.execPath, [PROGRAM, name], { encoding: 'utf8' }))
  expect(milliseconds).toBeGreaterThan(0)
  expect(milliseconds).toBeLessThan(LIMIT)
})
