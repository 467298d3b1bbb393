import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { PGlite } from '@electric-sql/pglite'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type NonceStore, sign } from '../src/index.js'
import { nonceStoreContract } from '../src/testing/index.js'
import { eventually, freePort } from './integration/servers.js'
import { isInstalled } from './programs.js'

// The packed tarball, installed into an empty folder and used there as a user would.

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc')
const folder = mkdtempSync(join(tmpdir(), 'inbound-webhook-auth-'))

beforeAll(() => {
  const [packed] = JSON.parse(npm(ROOT, 'pack', '--ignore-scripts', '--json', '--pack-destination', folder))
  writeFileSync(join(folder, 'package.json'), '{ "private": true }')
  npm(folder, 'install', '--offline', '--no-audit', '--no-fund', join(folder, packed.filename))
})

afterAll(() => {
  rmSync(folder, { recursive: true })
})

function npm(cwd: string, ...args: string[]): string {
  return execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
}

/** Runs a file of the folder with Node and gives what it prints. */
function run(name: string, source: string): string {
  writeFileSync(join(folder, name), source)
  return execFileSync(process.execPath, [name], { cwd: folder, encoding: 'utf8' })
}

/** Type-checks files of the folder; gives the compiler's complaints, none if all is well. */
function typeErrors(sources: Record<string, string>, compilerOptions: object): string {
  for (const [name, source] of Object.entries(sources)) writeFileSync(join(folder, name), source)
  const strict = { strict: true, exactOptionalPropertyTypes: true, noEmit: true, target: 'es2022' }
  const config = { compilerOptions: { ...strict, ...compilerOptions }, files: Object.keys(sources) }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  return spawnSync(process.execPath, [TSC], { cwd: folder, encoding: 'utf8' }).stdout
}

const WITH_NODE_TYPES = { types: ['node'], typeRoots: [join(ROOT, 'node_modules/@types')], skipLibCheck: true }

describe('the tarball', () => {
  const installed = () => join(folder, 'node_modules/inbound-webhook-auth')

  it('holds what users need and nothing else', () => {
    expect(readdirSync(installed()).sort()).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'SECURITY.md',
      'dist',
      'docs',
      'package.json',
    ])
    expect(readdirSync(join(installed(), 'docs')).sort()).toEqual([
      'nonce-stores.md',
      'scaling.md',
      'senders.md',
      'vectors.json',
    ])
  })

  it('has the files of every export, their types, chunks that they share, and nothing else', () => {
    const { exports } = JSON.parse(readFileSync(join(installed(), 'package.json'), 'utf8'))
    const targets = JSON.stringify(exports).match(/(?<=\.\/dist\/)[\w.]+/g) ?? []
    const files = readdirSync(join(installed(), 'dist'))
    expect(targets).toHaveLength(5 * 4)
    expect(files.filter((file) => !/-[\w-]{8}\.(js|cjs|d\.ts|d\.cts)$/.test(file)).sort()).toEqual(targets.sort())
  })

  it('has no dependencies', () => {
    const manifest = JSON.parse(readFileSync(join(installed(), 'package.json'), 'utf8'))
    expect(manifest.dependencies).toBeUndefined()
    expect(manifest.peerDependencies).toBeUndefined()
    expect(readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual([
      'inbound-webhook-auth',
    ])
  })

  it("imports Node's own modules by their node: names, and nothing else", () => {
    for (const file of readdirSync(join(installed(), 'dist')).filter((name) => /\.c?js$/.test(name))) {
      const source = readFileSync(join(installed(), 'dist', file), 'utf8')
      const imported = [...source.matchAll(/\bfrom "([^"]+)"|\brequire\('([^']+)'\)/g)].map(
        (match) => match[1] ?? match[2],
      )
      expect(imported.filter((name) => !/^(node:|\.\/chunk-)/.test(name ?? ''))).toEqual([])
    }
  })
})

const EXPORTS = ['MemoryNonceStore', 'NonceStoreError', 'NonceStoreFullError', 'generateSecret', 'sign', 'verify']
const ROUND_TRIP = `
  const secret = generateSecret()
  const request = { webhookId: '42', headers: sign('a body', secret), body: 'a body' }
  const store = new MemoryNonceStore()
  Promise.all([verify(request, secret, store), verify(request, secret, store)]).then((verdicts) => {
    console.log(JSON.stringify(verdicts.map(({ ok, reason }) => ok || reason)))
  })`

describe('the installed package', () => {
  it('is imported', () => {
    const source = `import * as all from 'inbound-webhook-auth'
      const { generateSecret, MemoryNonceStore, sign, verify } = all
      console.log(JSON.stringify(Object.keys(all)))${ROUND_TRIP}`
    expect(run('import.mjs', source).trim().split('\n')).toEqual([JSON.stringify(EXPORTS), '[true,"replayed_nonce"]'])
  })

  it('is imported by name from CommonJS, and required', () => {
    const source = `const all = require('inbound-webhook-auth')
      const { generateSecret, MemoryNonceStore, sign, verify } = all
      console.log(JSON.stringify(Object.keys(all).sort()))${ROUND_TRIP}`
    expect(run('require.cjs', source).trim().split('\n')).toEqual([JSON.stringify(EXPORTS), '[true,"replayed_nonce"]'])
  })

  it('may be mixed, ES module with CommonJS: code tells an error, instanceof does not', () => {
    const source = `import { createRequire } from 'node:module'
      import { NonceStoreError, sign, verify } from 'inbound-webhook-auth'
      const { MemoryNonceStore, NonceStoreFullError } = createRequire(import.meta.url)('inbound-webhook-auth')
      const store = new MemoryNonceStore({ maxEntries: 1 })
      store.reserve('42', 'another', 600)
      const request = { webhookId: '42', headers: sign('', 's'), body: '' }
      const error = await verify(request, 's', store).catch((error) => error)
      console.log(error instanceof NonceStoreError, error.code, error.cause instanceof NonceStoreFullError, error.cause.code)`
    expect(run('mixed.mjs', source).trim()).toBe('true ERR_NONCE_STORE true ERR_NONCE_STORE_FULL')
  })
})

const CONSUMER = `
  import type { IncomingMessage } from 'node:http'
  import {
    type Body, type Clock, generateSecret, type HeadersInput, MemoryNonceStore, type MemoryNonceStoreOptions,
    type NonceStore, NonceStoreError, NonceStoreFullError, type RejectionReason, type Secret, sign,
    type SignedHeaders, type SignOptions, type Verification, verify, type WebhookRequest,
  } from 'inbound-webhook-auth'

  export async function receive(message: IncomingMessage, fetched: Request, body: Buffer): Promise<string> {
    const options: MemoryNonceStoreOptions = { maxEntries: 10, whenFull: 'evict', clock: performance }
    const nonceStore: NonceStore = new MemoryNonceStore(options)
    const clock: Clock = Date
    const secret: Secret = [generateSecret(), 'old'] as const
    const shapes: HeadersInput[] = [
      message.headers, message.headersDistinct, fetched.headers, new Map([['a', 'b']]), [['a', 'b']], { a: ['b'], c: undefined },
    ]
    const request: WebhookRequest = { webhookId: '42', headers: shapes[0]!, body }
    const bodies: Body[] = [body, new Uint8Array(), new ArrayBuffer(0), '']
    const verdict: Verification = await verify(request, secret, nonceStore, clock)
    if (verdict.ok) return verdict.nonce + verdict.timestamp.toFixed() + verdict.secretIndex + verdict.webhookId + bodies.length
    if (verdict.reason === 'missing_header') return verdict.header
    const reason: RejectionReason = verdict.reason
    // @ts-expect-error: only a missing header is named
    verdict.header
    return reason + verdict.message
  }

  export async function send(): Promise<Response> {
    const options: SignOptions = { timestamp: 1, nonce: undefined }
    const headers: SignedHeaders = sign('', 'secret', options)
    return fetch('http://localhost', { method: 'POST', headers })
  }

  export function codeOf(error: unknown): 'ERR_NONCE_STORE' | 'ERR_NONCE_STORE_FULL' | undefined {
    return error instanceof NonceStoreError || error instanceof NonceStoreFullError ? error.code : undefined
  }

  // @ts-expect-error: a parsed body is no body
  verify({ webhookId: '42', headers: {}, body: { parsed: true } }, 'secret', new MemoryNonceStore())
  // @ts-expect-error: a store answers a boolean
  verify({ webhookId: '42', headers: {}, body: '' }, 'secret', { reserve: async () => {} })
`

describe('the types', () => {
  it.each([
    ['node16', 'node16'],
    ['nodenext', 'nodenext'],
    ['bundler', 'esnext'],
  ])('hold under moduleResolution %s, in ES modules and CommonJS', (moduleResolution, module) => {
    const sources = { 'consumer.mts': CONSUMER, 'consumer.cts': CONSUMER }
    expect(typeErrors(sources, { moduleResolution, module, ...WITH_NODE_TYPES })).toBe('')
  })

  it("need neither Node's types nor the DOM's", () => {
    const source = `import { MemoryNonceStore, verify } from 'inbound-webhook-auth'
      export * from 'inbound-webhook-auth/redis'
      export * from 'inbound-webhook-auth/postgres'
      export * from 'inbound-webhook-auth/sqlite'
      export * from 'inbound-webhook-auth/testing'
      export const verdict = verify({ webhookId: '42', headers: { get: () => null }, body: '' }, 'secret', new MemoryNonceStore())`
    expect(
      typeErrors({ 'bare.mts': source, 'bare.cts': source }, { module: 'nodenext', types: [], lib: ['es2022'] }),
    ).toBe('')
  })
})

/** The code blocks of a language in a text, without the ` * ` of a docstring. */
function blocksOf(text: string, language: string): string[] {
  return [...text.matchAll(new RegExp(`^([ *]*)\`\`\`${language}\\n([^]*?)\\n\\1\`\`\`$`, 'gm'))].map(
    ([, margin = '', code = '']) =>
      code
        .split('\n')
        .map((line) => line.slice(margin.length))
        .join('\n'),
  )
}

describe('the examples in the docstrings', () => {
  const examples: Record<string, string> = {}
  for (const path of readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })) {
    if (!path.endsWith('.ts')) continue
    for (const [index, code] of blocksOf(readFileSync(join(ROOT, 'src', path), 'utf8'), 'ts').entries()) {
      examples[`example ${path.replaceAll('/', ' ').replace('.ts', '')} ${index + 1}.mts`] = code
    }
  }

  beforeAll(() => {
    // The clients that some examples import: their users have installed them.
    mkdirSync(join(folder, 'node_modules/@types'))
    for (const name of ['pg', 'redis', '@types/pg']) {
      symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name))
    }
  })

  it('are there', () => {
    expect(Object.keys(examples).length).toBeGreaterThanOrEqual(5)
  })

  it('hold their types', () => {
    expect(typeErrors(examples, { module: 'nodenext', ...WITH_NODE_TYPES })).toBe('')
  })

  it.each(Object.entries(examples))('print what they say: %s', (name, code) => {
    const expected = [...code.matchAll(/console\.log\(.*\) \/\/ (.*)$/gm)].map(([, printed]) => printed)
    const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 }
    const output = run(name.replace('.mts', '.mjs'), ts.transpileModule(code, { compilerOptions }).outputText)
    if (expected.length === 0) return
    expect(output.split('\n').slice(0, -1)).toEqual(expected)
  })
})

describe('the README', () => {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8')
  const SECRET = 'the secret of the README'

  async function withHandler(act: (url: string) => Promise<void>): Promise<void> {
    const [handler = ''] = blocksOf(readme, 'js')
    writeFileSync(join(folder, 'server.mjs'), handler)
    const port = await freePort()
    const server = spawn(process.execPath, ['server.mjs'], {
      cwd: folder,
      env: { ...process.env, WEBHOOK_SECRET: SECRET, PORT: String(port) },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    try {
      const url = `http://127.0.0.1:${port}/`
      await eventually(() => fetch(url))
      await act(url)
    } finally {
      server.kill()
      await once(server, 'exit')
    }
  }

  it('has a handler that works when pasted', async () => {
    await withHandler(async (url) => {
      const post = async (headers: Record<string, string>, body: string | Uint8Array<ArrayBuffer>) =>
        (await fetch(url, { method: 'POST', headers, body })).status
      const binary = Uint8Array.of(0xff, 0x00, 0xfe)
      const genuine = sign(binary, SECRET)
      expect(await post(genuine, binary)).toBe(204)
      expect(await post(genuine, binary)).toBe(401)
      expect(await post(sign('', SECRET), '')).toBe(204)
      expect(await post(sign('a body', SECRET), 'a bodY')).toBe(401)
      expect(await post({}, 'a body')).toBe(401)
      expect(await post(sign('x'.repeat(100_000), SECRET), 'x'.repeat(100_000))).toBe(204)
      expect(await post({}, 'x'.repeat(100_001))).toBe(413)
      expect(await post({}, 'x'.repeat(1_000_000))).toBe(413)
      const copies = sign('a body', SECRET)
      const answers = await Promise.all(Array.from({ length: 20 }, () => post(copies, 'a body')))
      expect(answers.filter((status) => status === 204)).toHaveLength(1)
    })
  })

  it('has a handler that outlives a sender who hangs up halfway', async () => {
    await withHandler(async (url) => {
      const sender = connect(Number(new URL(url).port), '127.0.0.1')
      sender.write('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nhalf of it')
      await sleep(50)
      sender.destroy()
      expect((await fetch(url, { method: 'POST', headers: sign('', SECRET) })).status).toBe(204)
    })
  })

  it.runIf(isInstalled('curl') && isInstalled('openssl'))(
    'has a sender in a shell that works when pasted',
    async () => {
      const script = blocksOf(readme, 'sh').find((block) => block.includes('SIGNATURE')) ?? ''
      await withHandler(async (url) => {
        writeFileSync(join(folder, 'body.json'), '{"event":"invoice.paid"}\n')
        const env = { ...process.env, WEBHOOK_SECRET: SECRET, URL: url }
        const answer = execFileSync('sh', ['-c', `${script.trim()} -sS`], {
          cwd: folder,
          env,
          encoding: 'utf8',
        })
        expect(answer).toMatch(/^HTTP\/1\.1 204 /)
      })
    },
  )

  it('has a sender in Node that works when pasted', async () => {
    const sender = blocksOf(readme, 'js').find((block) => block.includes('await fetch(')) ?? ''
    await withHandler(async (url) => {
      const asked = sender.replace('await fetch(', 'const response = await fetch(')
      const source = `const [url, secret] = ${JSON.stringify([url, SECRET])}\n${asked}\nconsole.log(response.status)`
      expect(run('sender.mjs', source).trim()).toBe('204')
    })
  })

  it('shows a clock for a test', () => {
    const test = blocksOf(readme, 'js').find((block) => block.includes('const clock =')) ?? ''
    const source = `import { MemoryNonceStore, sign, verify } from 'inbound-webhook-auth'\n${test}\nconsole.log(verdict.ok)`
    expect(run('clock.mjs', source)).toBe('true\n')
  })

  it("shows a store of one's own that passes the contract", async () => {
    const own = blocksOf(readme, 'js').find((block) => block.includes('INSERT INTO nonces')) ?? ''
    const database = await PGlite.create()
    await database.exec(
      'CREATE TABLE nonces (webhook_id text, key text, expires_at timestamptz, PRIMARY KEY (webhook_id, key))',
    )
    const pool = {
      async query(text: string, values: unknown[]) {
        return { rowCount: (await database.query(text, values)).affectedRows }
      },
    }
    const nonceStore: NonceStore = new Function('pool', `${own}\nreturn nonceStore`)(pool)
    const outcomes = await Promise.all(
      nonceStoreContract(() => nonceStore).map(({ run }) =>
        run().then(
          () => [],
          (error: Error) => [error.message],
        ),
      ),
    )
    // Text has no NUL in PostgreSQL, and an index no 3 000 characters: PostgresNonceStore keeps a hash.
    expect(outcomes.flat().filter((message) => !/invalid byte sequence|index row size/.test(message))).toEqual([])
    await database.close()
  })

  it('shows a rotation that warns of the old secret', () => {
    const rotation = blocksOf(readme, 'js').find((block) => block.includes('secretIndex')) ?? ''
    const source = (secret: string) => `import { MemoryNonceStore, sign, verify } from 'inbound-webhook-auth'
      const [newSecret, oldSecret, nonceStore] = ['new', 'old', new MemoryNonceStore()]
      const received = { webhookId: '42', headers: sign('', '${secret}'), body: '' }
      console.warn = console.log
      ${rotation}
      console.log(verdict.ok)`
    expect(run('rotation.mjs', source('new'))).toBe('true\n')
    expect(run('rotation.mjs', source('old'))).toBe('still signed with the old secret\ntrue\n')
  })

  it('names every reason and every code', () => {
    const source = readFileSync(join(ROOT, 'src/verification.ts'), 'utf8')
    const reasons = [...source.matchAll(/^ {2}\| '(\w+)'$/gm)].map(([, reason]) => reason)
    expect(reasons).toHaveLength(6)
    for (const name of [...reasons, 'ERR_NONCE_STORE', 'ERR_NONCE_STORE_FULL', 'ERR_INVALID_ARGUMENT']) {
      expect(readme).toContain(`\`${name}\``)
    }
  })
})

describe('SECURITY.md', () => {
  it('names each test of what is not protected, and only such', () => {
    const tests = readFileSync(join(ROOT, 'test/security.test.ts'), 'utf8')
    const named = [...readFileSync(join(ROOT, 'SECURITY.md'), 'utf8').matchAll(/^\|.*\| `([^`]+)` \|$/gm)].map(
      ([, name]) => name,
    )
    expect(named).toEqual([...tests.matchAll(/^it\('([^']+)'/gm)].map(([, name]) => name))
  })
})

describe('the guide to nonce stores', () => {
  const guide = readFileSync(join(ROOT, 'docs/nonce-stores.md'), 'utf8')
  it.each(readdirSync(join(ROOT, 'docs/stores')))('shows docs/stores/%s, which is tested', (file) => {
    expect(blocksOf(guide, 'js')).toContain(readFileSync(join(ROOT, 'docs/stores', file), 'utf8').trimEnd())
  })
})

describe('the guide to senders', () => {
  const guide = readFileSync(join(ROOT, 'docs/senders.md'), 'utf8')
  it.each(readdirSync(join(ROOT, 'docs/senders')))('shows docs/senders/%s, which is tested', (file) => {
    const language = file.replace(/^.*\.m?/, '')
    expect(guide).toContain(`\n\`\`\`${language}\n${readFileSync(join(ROOT, 'docs/senders', file), 'utf8')}\`\`\`\n`)
  })
})

describe('the documents', () => {
  it.each(['README.md', 'SECURITY.md', 'CHANGELOG.md', 'docs/nonce-stores.md', 'docs/scaling.md', 'docs/senders.md'])(
    '%s links to files that exist',
    (document) => {
      const links = [...readFileSync(join(ROOT, document), 'utf8').matchAll(/\]\((?!https?:)([^)#]+)\)/g)].map(
        ([, path]) => path ?? '',
      )
      expect(links.filter((path) => !existsSync(join(ROOT, document, '..', path)))).toEqual([])
    },
  )
})
