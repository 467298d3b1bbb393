import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { BODIES } from './processor-time.js'

const PROGRAM = fileURLToPath(new URL('processor-time.js', import.meta.url))

/** The documentation says about 1000 ms and 100 ms. A machine of CI is slower, and a body may be larger than 1 MB. */
const MAX_TOTAL = 3000
const MAX_BLOCKED = 100

/** The bodies of one character, one process per size. */
const REPEATED = /^\d+ KB of/
const names = Object.keys(BODIES).map((name) => REPEATED.exec(name)?.[0] ?? name)

it.each([...new Set(names)])('takes about as long as documented, and lets other work run: %s', (start) => {
  const times = execFileSync(process.execPath, [PROGRAM, start], { encoding: 'utf8' }).trimEnd().split('\n')
  for (const { name, total, longest } of times.map((line) => JSON.parse(line))) {
    expect(total, name).toBeGreaterThan(0)
    expect(total, name).toBeLessThan(MAX_TOTAL)
    // The documentation promises this for up to 1 MB.
    if (!/^\d\d+ MB|^4\.|^10000000|bomb/.test(name)) expect(longest, name).toBeLessThan(MAX_BLOCKED)
  }
})
