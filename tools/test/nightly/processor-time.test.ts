import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { BODIES } from './processor-time.js'

const PROGRAM = fileURLToPath(new URL('processor-time.js', import.meta.url))

/** The documentation says about 1000 ms and 100 ms. A machine of CI is slower, and a body may be larger than 1 MB. */
const MAX_TOTAL = 3000
const MAX_BLOCKED = 150

it.each(Object.keys(BODIES))('takes about as long as documented, and lets other work run: %s', (name) => {
  const { total, longest } = JSON.parse(execFileSync(process.execPath, [PROGRAM, name], { encoding: 'utf8' }))
  expect(total).toBeGreaterThan(0)
  expect(total).toBeLessThan(MAX_TOTAL)
  // The documentation promises this for up to 1 MB.
  if (!/^\d\d+ MB|^4|^10000000|bomb/.test(name)) expect(longest).toBeLessThan(MAX_BLOCKED)
})
