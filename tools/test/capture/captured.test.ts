import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { TestClock } from '../../../test/support/request.js'
import { CaptureError } from '../../src/capture/capture-error.js'
import { readCapture } from '../../src/capture/read-capture.js'
import { diagnoseCapture } from '../../src/diagnose/diagnose-capture.js'
import { runSteps } from '../../src/diagnose/steps.js'
import { NODE_PRIMITIVES } from '../../src/node-primitives.js'
import { check } from '../../src/workbench/check.js'
import { call, FROM_ENV } from '../cli/call.js'
import { temporaryFolder } from '../resources.js'

const SECRET = 'mN3k6c83FY89D_vbCAVNK1_XgclIQSzuZepEQ8ZOLhE'

/** One request as a tool wrote it, and what `diagnose` must say about it. */
interface Captured {
  readonly name: string
  /** Where the request comes from. The first 90 requests do not say it. */
  readonly source?: string
  readonly capture: string | null
  /** The capture in base64, if it is not UTF-8. */
  readonly captureBytes?: string
  /** The file of `--body-file`, in base64. */
  readonly bodyFile?: string
  /** `refused` if the capture does not hold the bytes that arrived, or the code of the first finding. */
  readonly expect: 'valid' | 'refused' | readonly string[]
  readonly side?: string
  /** The body that was sent, in base64. */
  readonly body?: string
  /** What the log masked: a header, or the body. */
  readonly masked?: string
}

const CAPTURED: readonly Captured[] = readFileSync(new URL('captured.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line))

const folder = temporaryFolder()

const NOW = 1_795_574_700_000

function bytesOf({ capture, captureBytes }: Captured): Buffer {
  return captureBytes === undefined ? Buffer.from(String(capture)) : Buffer.from(captureBytes, 'base64')
}

async function run(captured: Captured) {
  const path = join(folder, 'body')
  const { bodyFile } = captured
  if (bodyFile !== undefined) writeFileSync(path, Buffer.from(bodyFile, 'base64'))
  const options = bodyFile === undefined ? [] : ['--body-file', path]
  const around = { stdin: bytesOf(captured), env: { WEBHOOK_SECRET: SECRET }, clock: new TestClock(NOW) }
  const args = ['diagnose', '-', ...FROM_ENV, '--at', 'timestamp', '--json', ...options]
  const { exitCode, text } = await call(args, around)
  return { exitCode, ...JSON.parse(text) }
}

/** Returns the error for a capture. Its search ends early, because no search finds the signed bytes. */
function refusalOf(capture: Captured): CaptureError {
  try {
    const captured = readCapture(bytesOf(capture))
    const given = { captured, headers: captured.headers, secrets: [SECRET], arrival: undefined, now: NOW }
    runSteps(diagnoseCapture(NODE_PRIMITIVES, given, 500))
  } catch (error) {
    if (error instanceof CaptureError) return error
    throw error
  }
  throw new Error('The capture is not refused.')
}

const VALID = CAPTURED.filter(({ expect: outcome }) => outcome === 'valid')
const REFUSED = CAPTURED.filter(({ expect: outcome }) => outcome === 'refused')
const named = (all: readonly Captured[]) => all.map((captured) => [captured.name, captured] as const)

it('each new request names its source', () => {
  expect(CAPTURED.slice(90).filter(({ source }) => !source)).toEqual([])
})

it.each(named(VALID))('a valid request is valid, whatever its capture changed: %s', async (_, captured) => {
  const { exitCode, notes } = await run(captured)
  const { length } = Buffer.from(captured.body ?? '', 'base64')
  const about = expect.stringMatching(`body of ${length} bytes?\\.$`)
  expect([exitCode, notes]).toEqual([0, expect.arrayContaining([about])])
  const input = { capture: bytesOf(captured), secrets: [SECRET], arrival: 'timestamp', now: NOW }
  const report = check({ ...input, body: captured.bodyFile ? Buffer.from(captured.bodyFile, 'base64') : undefined })
  expect([report.valid, report.findings]).toEqual([true, []])
})

it.each(named(REFUSED))(
  'a capture without the bytes that arrived is refused, and no sender is blamed: %s',
  (_, captured) => {
    const { message } = refusalOf(captured)
    expect(message).toMatch(/--header|--body-file|--trace/)
    if (captured.masked !== undefined) {
      expect(message).toMatch(captured.masked === 'body' ? /masked a part of the body/ : `masked ${captured.masked}`)
    }
  },
)

describe('the mistake of a sender is found, whatever the capture changed', () => {
  const mistakes = CAPTURED.filter((captured) => !VALID.includes(captured) && !REFUSED.includes(captured))
  it.each(named(mistakes))('%s', async (_, captured) => {
    const { exitCode, findings } = await run(captured)
    expect([exitCode, captured.expect]).toEqual([1, expect.arrayContaining([findings[0].code])])
    expect(findings[0].side).toBe(captured.side)
  })
})
