import { execFileSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createProject, removeProjects, sourceOf } from '../../docs/recipes/recipes.js'
import { codeBlocks } from '../../support/code-blocks.js'
import { ROOT } from '../../support/packed.js'
import { type RawRequest, send, signedHeaders } from '../../support/raw-client.js'
import { SECRET } from '../../support/request.js'
import { Server } from '../../support/server-process.js'
import { eventually } from '../../support/servers.js'
import { runWith } from './recipes.js'

// The code of the guides about many webhooks, compressed bodies and logs.

const EVENT = Buffer.from('{"event":"invoice.paid"}')

function signed(body: Uint8Array = EVENT, secret = SECRET): RawRequest {
  return { headers: [['Content-Type', 'application/json'], ...signedHeaders({ body, secret })], body }
}

afterAll(removeProjects)

describe.each(['express', 'express4'])('the handler for many webhooks, with %s', (express) => {
  let server: Server
  beforeAll(async () => {
    const project = createProject()
    const source = sourceOf({ file: 'many-webhooks.ts' })
    server = await Server.start(runWith({ express })(project, source), project)
  })
  afterAll(() => server?.stop())

  const statusOf = async (request: RawRequest) => (await send(server.port, request)).status

  it('accepts a valid request once, with the ID of its record', async () => {
    const request = signed()
    expect(await statusOf(request)).toBe(204)
    expect(await statusOf(request)).toBe(401)
    await eventually(() => expect(server.output).toMatch(/^42 \{"event":"invoice.paid"\}$/m))
  })

  it.each(['/hooks/', '/hooks', '/hooks/billing/more', '/hooks/b%69lling', '/unknown', '/'])(
    'knows no webhook at %s',
    async (path) => {
      expect(await statusOf({ ...signed(), path })).toBe(404)
    },
  )

  it('logs no stack for a path whose percent-encoding is malformed', async () => {
    const before = server.output.length
    expect(await statusOf({ ...signed(), path: '/hooks/%zz' })).toBe(404)
    expect(await statusOf(signed())).toBe(204)
    expect(server.output.slice(before)).not.toMatch(/^ +at /m)
  })

  it.each(['/hooks/BILLING', '/hooks/Billing', '/hooks/billing?a=b'])(
    'shares the nonces of a webhook between the spellings of its path: %s',
    async (path) => {
      const first = signed()
      expect(await statusOf({ ...first, path })).toBe(204)
      expect(await statusOf(first)).toBe(401)
      const second = signed()
      expect(await statusOf(second)).toBe(204)
      expect(await statusOf({ ...second, path })).toBe(401)
    },
  )
})

describe.each(['express', 'express4'])('the handler for two formats, with %s', (express) => {
  const OLD_SECRET = 'the old secret of this test'
  let server: Server
  beforeAll(async () => {
    const project = createProject()
    const source = sourceOf({ file: 'migrate.ts' })
    server = await Server.start(runWith({ express })(project, source), project, { OLD_SECRET })
  })
  afterAll(() => server?.stop())

  const statusOf = async (request: RawRequest) => (await send(server.port, request)).status

  function signedOld(time = Math.floor(Date.now() / 1000), key = OLD_SECRET, body = EVENT): RawRequest {
    const signature = createHmac('sha256', key).update(`${time}.${EVENT}`).digest('hex')
    return { headers: [['Signature', `t=${time},v1=${signature}`]], body }
  }

  it('accepts a request in the new format once', async () => {
    const request = signed()
    expect(await statusOf(request)).toBe(204)
    expect(await statusOf(request)).toBe(401)
    await eventually(() => expect(server.output).toMatch(/^new format: \{"event":"invoice.paid"\}$/m))
  })

  it('accepts a request in the old format', async () => {
    expect(await statusOf(signedOld())).toBe(204)
    await eventually(() => expect(server.output).toMatch(/^old format: \{"event":"invoice.paid"\}$/m))
  })

  it('rejects an old request that is stale, forged, changed or malformed', async () => {
    const now = Math.floor(Date.now() / 1000)
    expect(await statusOf(signedOld(now - 302))).toBe(401)
    expect(await statusOf(signedOld(now, SECRET))).toBe(401)
    expect(await statusOf(signedOld(now, OLD_SECRET, Buffer.from('{"event":"invoice.void"}')))).toBe(401)
    expect(await statusOf({ headers: [['Signature', `t=${now},v1=`]], body: EVENT })).toBe(401)
    expect(await statusOf({ headers: [], body: EVENT })).toBe(401)
  })
})

describe('the handler for compressed bodies', () => {
  let server: Server
  beforeAll(async () => {
    const project = createProject()
    writeFileSync(join(project, 'compressed.mts'), sourceOf({ file: 'compressed.ts' }))
    const source = "import { textOf } from './compressed.mts'\n".concat(
      sourceOf({ file: 'express.ts' }).replace('body.toString()', 'textOf(body)'),
    )
    server = await Server.start(runWith({})(project, source), project)
  })
  afterAll(() => server?.stop())

  it('inflates what was accepted, whatever Content-Encoding says', async () => {
    const gzipped = gzipSync('{"event":"invoice.void"}')
    for (const encoding of ['gzip', 'identity', 'br']) {
      const { headers, body } = signed(gzipped)
      const request = { headers: [['Content-Encoding', encoding] as const, ...headers], body }
      expect(await send(server.port, request)).toMatchObject({ status: 204 })
    }
    expect(await send(server.port, signed())).toMatchObject({ status: 204 })
    await eventually(() => expect(server.output.match(/invoice\.void/g)).toHaveLength(3))
    await eventually(() => expect(server.output.match(/invoice\.paid/g)).toHaveLength(1))
  })

  it('does not inflate a valid body beyond its limit', async () => {
    const bomb = gzipSync(Buffer.alloc(2 ** 26, '1'))
    expect(await send(server.port, signed(bomb))).toMatchObject({ status: 500 })
    expect(await send(server.port, signed(gzipSync(Buffer.alloc(2 ** 20, '1'))))).toMatchObject({ status: 204 })
    expect(server.output).toContain('ERR_BUFFER_TOO_LARGE')
  })
})

it('the function that logs writes one line per error, with what your team needs', () => {
  const [log = ''] = codeBlocks(readFileSync(join(ROOT, 'docs/receive/index.md'), 'utf8'), 'ts')
  const project = createProject()
  const program = `import { receive, refusal } from 'inbound-webhook-auth'
    import { log } from './log.mts'
    const request = { headers: JSON.parse(process.argv[2]), rawBody: Buffer.alloc(0) }
    const refuse = (changes, reserve) =>
      receive({ webhookId: 'billing', request, ...changes }, 'a secret', { reserve }).catch((error) => refusal(error, { log }))
    await refuse({ request: { ...request, headers: {} } }, () => true)
    await refuse({ request: { ...request, rawBody: Buffer.alloc(2) }, maxBytes: 1 }, () => true)
    await refuse({}, () => { throw new Error('no route to store') })
    refusal(undefined, { log })`
  writeFileSync(join(project, 'log.mts'), log)
  writeFileSync(join(project, 'main.mts'), program)
  const headers = JSON.stringify(Object.fromEntries(signedHeaders({ secret: 'a secret' })))
  const output = execFileSync(process.execPath, ['--import', 'tsx', 'main.mts', headers], {
    cwd: project,
    encoding: 'utf8',
  })
  const lines = output.trim().split('\n')
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { level: 'warn', status: 401, message: expect.stringMatching(/billing.*missing_header/) },
    { level: 'info', status: 413, message: expect.stringContaining('more than 1 bytes') },
    { level: 'error', status: 503, message: expect.stringContaining('no route to store') },
    { level: 'error', status: 500, message: 'undefined' },
  ])
  expect(output).not.toContain('a secret')
})
