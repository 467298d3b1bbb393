import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { PGlite } from '@electric-sql/pglite'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type NonceStore, sign } from '../../src/index.js'
import { nonceStoreContract } from '../../src/testing/index.js'
import { installPacked, ROOT } from '../support/packed.js'
import { isInstalled } from '../support/programs.js'
import { eventually, freePort } from '../support/servers.js'

// The packed tarball, installed into an empty folder and used there as a user would.

const TSC = join(ROOT, 'node_modules/typescript/bin/tsc')
const folder = installPacked()

afterAll(() => {
  rmSync(folder, { recursive: true })
})

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
      'command-line.md',
      'nonce-stores.md',
      'recipes.md',
      'scaling.md',
      'senders.md',
      'troubleshooting',
      'troubleshooting.md',
      'vectors.json',
    ])
  })

  it('has no dependencies', () => {
    const manifest = JSON.parse(readFileSync(join(installed(), 'package.json'), 'utf8'))
    expect(manifest.dependencies).toBeUndefined()
    expect(manifest.peerDependencies).toBeUndefined()
    expect(readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual([
      'inbound-webhook-auth',
    ])
  })

  it('declares as constants what V8 can then take as such', () => {
    for (const file of ['index.js', 'index.cjs']) {
      const source = readFileSync(join(installed(), 'dist', file), 'utf8')
      expect(source).toMatch(/^const SLOTS = \d+;$/m)
      expect(source).not.toMatch(/^var [A-Z][A-Z0-9_]* =/m)
    }
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

describe('the command', () => {
  it('is installed, and knows its version', () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
    const command = join(folder, 'node_modules/.bin/inbound-webhook-auth')
    expect(execFileSync(command, ['--version'], { cwd: folder, encoding: 'utf8' })).toBe(`${version}\n`)
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
    const source = readFileSync(join(ROOT, 'src/result.ts'), 'utf8')
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
  it.each([
    'README.md',
    'SECURITY.md',
    'CHANGELOG.md',
    'docs/command-line.md',
    'docs/nonce-stores.md',
    'docs/recipes.md',
    'docs/scaling.md',
    'docs/senders.md',
    'docs/troubleshooting.md',
  ])('%s links to files that exist', (document) => {
    const links = [...readFileSync(join(ROOT, document), 'utf8').matchAll(/\]\((?!https?:)([^)#]+)\)/g)].map(
      ([, path]) => path ?? '',
    )
    expect(links.filter((path) => !existsSync(join(ROOT, document, '..', path)))).toEqual([])
  })
})
