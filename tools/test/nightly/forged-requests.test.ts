import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const PROGRAM = fileURLToPath(new URL('forged-requests.js', import.meta.url))

it('10 000 forged requests get one explanation, and take the processor time that they take without it', () => {
  const { explanations, ratio } = JSON.parse(execFileSync(process.execPath, [PROGRAM], { encoding: 'utf8' }))
  expect(explanations).toBe(1)
  expect(ratio).toBeGreaterThan(0)
  expect(ratio).toBeLessThan(1.05)
})
