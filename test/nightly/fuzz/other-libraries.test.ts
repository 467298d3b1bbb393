import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { MemoryNonceStore } from '../../../src/index.js'
import { handle } from '../../../src/standard-webhooks/index.js'
import { ROOT } from '../../support/built.js'
import { codeBlocks } from '../../support/code-blocks.js'
import { NOW } from '../../support/request.js'
import { STANDARD_SECRET, signedMessage } from '../../support/standard-webhooks.js'
import { requirePackage } from '../packages/packages.js'
import { expectListedDifferences } from './other-libraries.js'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
})
afterEach(() => {
  vi.useRealTimers()
})

it('standardwebhooks accepts and refuses the same requests, but for the listed differences', async () => {
  const create = (secret: string) => new Webhook(secret)
  await expectListedDifferences({ prefix: 'webhook', create }, ['headers of both sets'])
})

it('svix accepts and refuses the same requests, but for the listed differences', async () => {
  const { Webhook: SvixWebhook } = requirePackage('svix')
  await expectListedDifferences({ prefix: 'svix', create: (secret) => new SvixWebhook(secret) })
})

it('their code and ours in the guide to migrating read the same message', async () => {
  vi.setSystemTime(NOW)
  const [code = ''] = codeBlocks(readFileSync(join(ROOT, 'docs/receive/migrate.md'), 'utf8'), 'js')
  const body = Buffer.from('{"type":"invoice.paid"}')
  const request = { ...signedMessage({ body }), method: 'POST' }
  const names = { Webhook, MemoryNonceStore, handle, request, secret: STANDARD_SECRET }
  for (const part of code.split('\n\n')) {
    const run = new Function(...Object.keys(names), `return (async () => {${part}\nreturn type})()`)
    expect(await run(...Object.values(names))).toBe('invoice.paid')
  }
})
