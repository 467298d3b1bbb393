import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type EndpointContractOptions, type EndpointResult, endpointContract } from '../../src/testing/index.js'
import { MISTAKES, Receiver } from './receivers/receiver.js'
import { postTo, ReceiverServer } from './receivers/serve.js'

const SECRET = 'cKsQ_EJbrw_SreUQ0LA3YsYy0sSp_1Fgkp-_M282FlE'

const server = new ReceiverServer()
beforeAll(() => server.start())
afterAll(() => server.stop())

/** Runs the cases in their order, and returns what those found that fail. Ends if the first one fails. */
async function failures(options: EndpointContractOptions): Promise<Record<string, EndpointResult>> {
  const found: Record<string, EndpointResult> = {}
  for (const { code, check } of endpointContract({ timeout: 60_000, ...options })) {
    const result = await check()
    if (!result.ok) found[code] = result
    if (code === 'accepted-json' && !result.ok) break
  }
  return found
}

const CODES = endpointContract({ post: () => ({ status: 500 }), secret: SECRET }).map(({ code }) => code)

describe.each([401, 409, 400, 403])('a right receiver that rejects with %d', (status) => {
  it('passes every case', async () => {
    const post = postTo(server.add(new Receiver(SECRET, status)))
    expect(await failures({ post, secret: SECRET })).toEqual({})
  })
})

describe('the contract finds the mistake of a receiver that', () => {
  it.each(MISTAKES)('$name', async ({ fails, fault, says, apply }) => {
    const receiver = new Receiver(SECRET)
    const post = postTo(server.add(Object.assign(receiver, apply(receiver))))
    const found = await failures({ post, secret: SECRET })
    expect(Object.keys(found)).toEqual(fails)
    const [{ cause, fix, fault: is } = {} as EndpointResult] = Object.values(found)
    expect(`${cause} ${fix}`).toMatch(says)
    if (fault !== undefined) expect(is).toBe(fault)
  })

  it('fails each case alone', () => {
    const alone = MISTAKES.flatMap(({ fails }) => (fails.length === 1 ? fails : []))
    expect(CODES.filter((code) => !alone.includes(code))).toEqual([])
  })
})
