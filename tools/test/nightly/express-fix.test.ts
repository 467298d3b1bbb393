import { expect, it } from 'vitest'
import { MemoryNonceStore, verify } from '../../../src/index.js'
import { ask, FRAMEWORKS, type Untyped } from '../../../test/nightly/frameworks/apps.js'
import { SECRET } from '../../../test/support/request.js'
import { ROWS } from '../../src/testing/endpoint/rows.js'
import { endpointContract } from '../../src/testing/index.js'
import { postTo } from '../testing/receivers/serve.js'

// An app that follows the fix for Express to the letter must pass the whole contract, so the text of the fix runs here.

const CODE = /put (\(request, .*?\}) before (express\.raw\(.*?\}\))/

it.each(['accepted-compressed', 'body-spacing'] as const)('the fix of %s has the code for Express', (code) => {
  expect(ROWS['x-signature'][code].fix).toMatch(CODE)
})

it.each(['Express 5', 'Express 4'] as const)('in %s, an app with this code passes every case', async (version) => {
  const [, middleware, parser] = CODE.exec(ROWS['x-signature']['accepted-compressed'].fix) ?? []
  const parsers = new Function('express', `return [${middleware}, ${parser}]`)
  const nonceStore = new MemoryNonceStore()
  const act = async ({ headers, body, res }: Untyped) => {
    // raw() leaves a request without a body as it was.
    const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0)
    const { ok } = await verify({ webhookId: '42', headers, body: bytes }, SECRET, nonceStore)
    res.status(ok ? 200 : 401)
    return ''
  }
  await ask(FRAMEWORKS[version](act, parsers as (express: Untyped) => unknown[]), async (port) => {
    const contract = endpointContract({ post: postTo(`http://127.0.0.1:${port}/`), secret: SECRET })
    const failed: string[] = []
    for (const { code, check } of contract) if (!(await check()).ok) failed.push(code)
    expect([failed, contract.length]).toEqual([[], 63])
  })
})
