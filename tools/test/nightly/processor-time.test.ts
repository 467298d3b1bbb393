import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { BODIES } from './processor-time.js'

const PROGRAM = fileURLToPath(new URL('processor-time.js', import.meta.url))

/** More than twice what JSON of 1 MB needs, the slowest of all. */
const LIMIT = 10

/**
 * Reading and writing 1 MB of JSON takes 8 ms on a fast machine, and the longest part of a search up to 6 times as long. This
 * includes the collection of garbage.
 */
const MAX_BLOCKED = 7

const timesOf = (name: string): { total: number; longest: number } =>
  JSON.parse(execFileSync(process.execPath, [PROGRAM, name], { encoding: 'utf8' }))

it.each(Object.keys(BODIES))(
  'takes at most 10 times as long as an ordinary body, and lets other work run: %s',
  (name) => {
    let { total, longest } = timesOf(name)
    expect(total).toBeGreaterThan(0)
    expect(total).toBeLessThan(LIMIT)
    // The documentation promises this for up to 1 MB.
    if (/^\d\d+ MB|^4|^10000000|bomb/.test(name)) return
    // If other processes use the machine, a single time may be twice as long.
    for (let attempt = 2; attempt <= 3 && longest >= MAX_BLOCKED; attempt++) longest = timesOf(name).longest
    expect(longest).toBeLessThan(MAX_BLOCKED)
  },
)
