import { once } from 'node:events'
import { createServer } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import { MemoryNonceStore, verify } from '../../../src/index.js'
import { requirePackage } from '../../../test/nightly/packages/packages.js'
import { SECRET } from '../../../test/support/request.js'
import { ROWS } from '../../src/testing/endpoint/rows.js'
import { endpointContract } from '../../src/testing/index.js'
import { postTo } from '../testing/receivers/serve.js'

// An app that follows the fix for Express to the letter must pass the whole contract, so the text of the fix runs here.

const CODE = /put (\(request, .*?\}) before (express\.raw\(.*?\}\))/

it.each(['accepted-compressed', 'body-spacing'] as const)('the fix of %s has the code for Express', (code) => {
  expect(ROWS['x-signature'][code].fix).toMatch(CODE)
})

it.each(['express', 'express4'])('in %s, an app with this code passes every case', async (name) => {
  const [, middleware, parser] = CODE.exec(ROWS['x-signature']['accepted-compressed'].fix) ?? []
  const express = requirePackage(name)
  const app = express()
  for (const each of new Function('express', `return [${middleware}, ${parser}]`)(express)) app.use(each)
  const nonceStore = new MemoryNonceStore()
  app.post(
    '/',
    async ({ headers, body }: { headers: object; body: unknown }, response: ReturnType<typeof JSON.parse>) => {
      // raw() leaves a request without a body as it was.
      const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0)
      const { ok } = await verify({ webhookId: '42', headers: { ...headers }, body: bytes }, SECRET, nonceStore)
      response.status(ok ? 200 : 401).end()
    },
  )
  const server = createServer(app).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const contract = endpointContract({
    post: postTo(`http://127.0.0.1:${Object(server.address()).port}/`),
    secret: SECRET,
  })
  const failed: string[] = []
  for (const { code, check } of contract) if (!(await check()).ok) failed.push(code)
  expect([failed, contract.length]).toEqual([[], 48])
})
