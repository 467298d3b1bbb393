import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { BODIES } from './processor-time.js'

const PROGRAM = fileURLToPath(new URL('processor-time.js', import.meta.url))

/** Twice what quotes in quotes need, the slowest of all. */
const LIMIT = 20

/**
 * Reading and writing 1 MB of JSON takes 8 to 20 ms, and the longest part of a search up to 10 times as long. This includes the
 * collection of garbage.
 */
const MAX_BLOCKED = 14

it.each(Object.keys(BODIES))(
  'takes at most 20 times as long as an ordinary body, and lets other work run: %s',
  (name) => {
    const { total, longest } = JSON.parse(execFileSync(process.execPath, [PROGRAM, name], { encoding: 'utf8' }))
    expect(total).toBeGreaterThan(0)
    expect(total).toBeLessThan(LIMIT)
    // The documentation promises this for up to 1 MB.
    if (!/^\d\d+ MB|^4|^10000000|bomb/.test(name)) expect(longest).toBeLessThan(MAX_BLOCKED)
  },
)
