import { createHmac } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { describe, expect, it, vi } from 'vitest'
import { codeBlock } from '../../docs/generate/annotated.js'
import { MemoryNonceStore } from '../../src/index.js'
import { handle } from '../../src/standard-webhooks/index.js'
import * as contracts from '../../tools/src/testing/index.js'
import { codeBlocks } from '../support/code-blocks.js'
import { pathsBelow } from '../support/files.js'
import { ROOT } from '../support/packed.js'
import { NOW } from '../support/request.js'
import { STANDARD_SECRET, signedMessage } from '../support/standard-webhooks.js'

describe('the guide to nonce stores', () => {
  const folder = join(ROOT, 'docs/operate')
  const guide = readdirSync(folder)
    .map((page) => readFileSync(join(folder, page), 'utf8'))
    .join('\n')
  it.each(readdirSync(join(ROOT, 'docs/stores')))('shows docs/stores/%s, which is tested', (file) => {
    const language = file.replace(/^.*\./, '')
    expect(codeBlocks(guide, language)).toContain(readFileSync(join(ROOT, 'docs/stores', file), 'utf8').trimEnd())
  })
})

describe('the guide to metrics', () => {
  const guide = readFileSync(join(ROOT, 'docs/operate/observability.md'), 'utf8')
  it.each(readdirSync(join(ROOT, 'docs/observability')))(
    'shows or links docs/observability/%s, which is tested',
    (file) => {
      const code = readFileSync(join(ROOT, 'docs/observability', file), 'utf8')
      if (file === 'grafana-dashboard.json') expect(guide).toContain(`(../observability/${file})`)
      else expect(codeBlocks(guide, file.replace(/^.*\./, ''))).toContain(code.trimEnd())
    },
  )
})

describe('the guide to senders', () => {
  const folder = join(ROOT, 'docs/send')
  const pages = readdirSync(folder).map((page) => readFileSync(join(folder, page), 'utf8'))

  it.each(pathsBelow(join(ROOT, 'docs/senders')))('shows docs/senders/%s, which is tested', (file) => {
    const code = codeBlock(file, readFileSync(join(ROOT, 'docs/senders', file), 'utf8'))
    expect(pages.filter((page) => page.includes(`\n${code}\n`))).toHaveLength(1)
  })

  it('has an example whose bytes and signature are right', () => {
    const page = readFileSync(join(folder, 'index.md'), 'utf8')
    const [message = '', hex = '', signature = ''] = codeBlocks(page, 'text')
    const [, secret = ''] = /^\| secret \| `(.*)` \|$/m.exec(page) ?? []
    expect(message).toMatch(/^1700000000:6f9619ff-8b86-4d01-b42d-00cf4fc964ff:\{"event":"invoice\.paid"\}$/)
    expect(hex.replaceAll('\n', '')).toBe(Buffer.from(message).toString('hex'))
    expect(signature).toBe(createHmac('sha256', secret).update(message).digest('hex'))
  })
})

it('their code and ours in the guide to migrating read the same message', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW })
  const [code = ''] = codeBlocks(readFileSync(join(ROOT, 'docs/receive/migrate.md'), 'utf8'), 'js')
  const request = { ...signedMessage({ body: Buffer.from('{"type":"invoice.paid"}') }), method: 'POST' }
  const names = { Webhook, MemoryNonceStore, handle, request, secret: STANDARD_SECRET }
  for (const part of code.split('\n\n')) {
    const run = new Function(...Object.keys(names), `return (async () => {${part}\nreturn type})()`)
    expect(await run(...Object.values(names))).toBe('invoice.paid')
  }
  vi.useRealTimers()
})

describe('the guides to the contracts', () => {
  it.each(['receive/test-your-handler.md', 'operate/your-own.md'])(
    '%s passes every case to the test runner',
    (page) => {
      const blocks = codeBlocks(readFileSync(join(ROOT, 'docs', page), 'utf8'), 'js')
      const [code = ''] = blocks.filter((block) => block.includes("'inbound-webhook-tools/testing'"))
      const names: string[] = []
      const test = (name: string, _: object, run: unknown) => run instanceof Function && names.push(name)
      const describe = (_name: string, _options: object, run: () => void) => run()
      const parts = { ...contracts, test, it: test, describe, createStore: () => new MemoryNonceStore() }
      new Function(...Object.keys(parts), code.replace(/^import .*$/gm, ''))(...Object.values(parts))
      expect(names.length).toBeGreaterThan(10)
    },
  )
})
