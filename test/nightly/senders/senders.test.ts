import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ALL, endpoint, expectGenuine, folder, SOURCES, send } from '../../docs/senders/harness.js'
import { describeSenders } from '../../docs/senders/suite.js'
import { codeBlocks } from '../../support/code-blocks.js'
import { isInstalled } from '../../support/programs.js'
import { SECRET } from '../../support/request.js'
import { freePort } from '../../support/servers.js'
import { PACKAGES } from '../packages/packages.js'

/** The command line of Postman. */
const NEWMAN = join(PACKAGES, 'newman/bin/newman.js')
const SENDERS = ALL.filter(({ needs }) => needs.every((name) => isInstalled(name)))

describeSenders(SENDERS)

it('every file of docs/senders/ is run', () => {
  const files = readdirSync(SOURCES, { withFileTypes: true }).filter((entry) => entry.isFile())
  expect(files.map(({ name }) => name).sort()).toEqual(ALL.map(({ file }) => file).sort())
})

describe.concurrent('the time-out', () => {
  it.each(SENDERS)('$language ends an attempt that gets no answer, and makes another one', async (sender) => {
    const webhook = endpoint(SECRET, 'never', 'result')
    expect(await send(sender, webhook.url, SECRET)).toMatchObject({ exitCode: 0 })
    expectGenuine(webhook, 2)
  })

  it.each(SENDERS)('$language stops after four attempts, each with its own signature', async (sender) => {
    const webhook = endpoint(SECRET, 503)
    expect(await send(sender, webhook.url, SECRET)).toMatchObject({ exitCode: 1 })
    expectGenuine(webhook, 4)
    const times = webhook.attempts.map(({ result }) => (result.ok ? result.timestamp : Number.NaN))
    expect(times.toSorted((a, b) => a - b)).toEqual(times)
    expect((times[3] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(3)
  })

  it.each(SENDERS)('$language stops if the connection is refused', async (sender) => {
    expect(await send(sender, `http://127.0.0.1:${await freePort()}/`, SECRET)).toMatchObject({ exitCode: 1 })
  })
})

describe('the code for tools without a program', () => {
  const page = readFileSync(join(SOURCES, '../send/no-code.md'), 'utf8')
  const [postman = '', n8n = '', zapier = '', ...others] = codeBlocks(page, 'js')
  const AsyncFunction = (async () => {}).constructor as FunctionConstructor
  const require = createRequire(import.meta.url)

  it('is all run here', () => {
    expect(others).toEqual([])
  })

  it('of Zapier signs and sends the fields of an event', async () => {
    const step = new AsyncFunction('inputData', 'require', 'fetch', zapier)
    const webhook = endpoint(SECRET, 'result', 503)
    const inputData = { url: webhook.url, secret: SECRET, event: 'invoice.paid', customer: 'Zoë' }
    expect(await step(inputData, require, fetch)).toEqual({ status: 204 })
    expectGenuine(webhook, 1, '{"event":"invoice.paid","customer":"Zoë"}')
    await expect(step(inputData, require, fetch)).rejects.toThrow('The webhook answered 503.')
  })

  it('of n8n signs the body that the next node sends', async () => {
    const source = n8n.replace("'paste the secret here'", JSON.stringify(SECRET))
    const $input = { all: () => [{ json: { event: 'invoice.paid', customer: 'Zoë' } }, { json: { a: 1 } }] }
    const items = await new AsyncFunction('$input', 'require', source)($input, require)
    const webhook = endpoint(SECRET, 'result')
    for (const { json } of items) {
      const { body, timestamp, nonce, signature } = json
      const headers = { 'X-Timestamp': timestamp, 'X-Nonce': nonce, 'X-Signature': signature }
      expect((await fetch(webhook.url, { method: 'POST', headers, body })).status).toBe(204)
    }
    expect(webhook.attempts.map(({ body }) => String(body))).toEqual([
      '{"event":"invoice.paid","customer":"Zoë"}',
      '{"a":1}',
    ])
  })

  it('of Postman signs the body, in the sandbox of Postman', async () => {
    const webhook = endpoint(SECRET, 'result')
    const collection = join(folder, 'collection.json')
    const body = '{\n  "customer": "Zoë",\n  "event": "{{event}}"\n}'
    const request = { method: 'POST', url: webhook.url, body: { mode: 'raw', raw: body } }
    const event = [{ listen: 'prerequest', script: { exec: postman.split('\n') } }]
    const schema = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json'
    writeFileSync(
      collection,
      JSON.stringify({ info: { name: 'a test', schema }, item: [{ name: 'send', request, event }] }),
    )
    const variables = ['--env-var', `WEBHOOK_SECRET=${SECRET}`, '--env-var', 'event=invoice.paid']
    for (let round = 1; round <= 2; round++) {
      const run = spawn(process.execPath, [NEWMAN, 'run', collection, ...variables], { stdio: 'ignore' })
      expect((await once(run, 'close'))[0]).toBe(0)
      expectGenuine(webhook, round, '{\n  "customer": "Zoë",\n  "event": "invoice.paid"\n}')
    }
  })
})
