import assert from 'node:assert/strict'
import { NO_HEADERS } from '../../support/cases/headers.js'
import { type Mistake, SIGN_MISTAKES, SIGN_RANGES, VERIFY_MISTAKES } from '../../support/cases/mistakes.js'
import { NO_RAW_BODIES, NO_RAW_BODIES_ONCE_READ } from '../../support/cases/raw-body.js'
import { RecordingStore, SECRET, signedRequest } from '../../support/request.js'
import type { Case, Core } from './case.js'

const INVALID_ARGUMENT = 'ERR_INVALID_ARGUMENT'

export function mistakes(core: Core): Case[] {
  const refuses = (call: (...args: unknown[]) => unknown, where: string, [name, args, message]: Mistake) => ({
    name: `a mistake in ${where}: ${name}`,
    run: () =>
      assert.rejects(async () => await call(...args()), { name: 'TypeError', code: INVALID_ARGUMENT, message }),
  })
  const verify = core.verify as (...args: unknown[]) => unknown
  const sign = core.sign as (...args: unknown[]) => unknown
  const withBody = (body: unknown) => [{ ...signedRequest(), body }, SECRET, new RecordingStore()]
  const notRaw = (name: string, args: () => unknown[] | Promise<unknown[]>, hint: string, message: RegExp) => ({
    name: `a mistake in body: ${name}`,
    run: async () => {
      const values = await args()
      const error = { name: 'TypeError', code: INVALID_ARGUMENT, hint, message }
      await assert.rejects(async () => await verify(...values), error)
    },
  })
  return [
    ...VERIFY_MISTAKES.map((mistake) => refuses(verify, 'verify', mistake)),
    ...SIGN_MISTAKES.map((mistake) => refuses(sign, 'sign', mistake)),
    ...SIGN_RANGES.map(([name, options]) => ({
      name: `a mistake in sign: ${name}`,
      run: () => assert.throws(() => core.sign('', SECRET, options), { name: 'RangeError', code: INVALID_ARGUMENT }),
    })),
    ...NO_HEADERS.map(([name, headers, message]) =>
      refuses(verify, 'headers', [
        name,
        () => [{ ...signedRequest(), headers: headers() }, SECRET, new RecordingStore()],
        message,
      ]),
    ),
    ...NO_RAW_BODIES.map(([name, body, hint, fix]) => notRaw(name, () => withBody(body()), hint, fix)),
    ...NO_RAW_BODIES_ONCE_READ.map(([name, body, hint, fix]) =>
      notRaw(name, async () => withBody(await body()), hint, fix),
    ),
  ]
}
