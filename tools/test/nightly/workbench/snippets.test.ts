import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MemoryNonceStore, type Verification, verify } from '../../../../src/index.js'
import { type Browser, CAN_RUN, launch, type Page } from '../../../../test/nightly/packages/browser.js'
import { isInstalled } from '../../../../test/support/programs.js'
import { snippetOf } from '../../../src/workbench/snippets.js'

// The code that the workbench writes under *Sign*: each program runs, and a server that verifies accepts its request.
// C# is not run, because Debian has no .NET. Its text is compared with text written by hand, below.

const folder = mkdtempSync(join(tmpdir(), 'snippets-'))

interface Program {
  readonly language: string
  readonly file: string
  readonly needs: readonly string[]
  readonly run: readonly string[]
}

const ALL: readonly Program[] = [
  { language: 'curl', file: 'send.sh', needs: ['curl'], run: ['sh'] },
  { language: 'Node', file: 'send.mjs', needs: [], run: [process.execPath] },
  { language: 'Python', file: 'send.py', needs: ['python3'], run: ['python3'] },
  { language: 'PHP', file: 'send.php', needs: ['php'], run: ['php'] },
  { language: 'Go', file: 'send.go', needs: ['go'], run: ['go', 'run'] },
  { language: 'Ruby', file: 'send.rb', needs: ['ruby'], run: ['ruby', '-w'] },
  { language: 'Java', file: 'Send.java', needs: ['javac'], run: ['java'] },
]
const PROGRAMS = ALL.filter(({ needs }) => needs.every((name) => isInstalled(name)))

/** Characters that are special in a string of one of the languages. */
// biome-ignore lint/suspicious/noTemplateCurlyInString: it is a variable of a shell and of PHP.
const SPECIAL = '@file \\ \\n \\u0041 \\x41 "quoted" \'single\' $HOME ${HOME} #{1+1} `id` %s %d <?php ?> */ ?? \\'
const TEXT = `${SPECIAL}\r\n\tZoë – 日本語 🔑 \u2028 \u200b\n`
const ALL_BYTES = Uint8Array.from({ length: 256 }, (_, byte) => byte)

const BODIES: { readonly [name: string]: string | Uint8Array } = {
  'visible ASCII': SPECIAL,
  'text, and all bytes': Buffer.concat([Buffer.from(TEXT), ALL_BYTES]),
  'no bytes': '',
  'long ASCII': `{"text":"${SPECIAL.repeat(7000)}"}`,
}

const SECRET = `  \\ " ' $HOME \`id\` %s #{1} \n Zoë 🔑 `

/** Characters that some URL parsers refuse, and some shells and programs read as patterns. */
const QUERY = `?a[]={b}|'$HOME'&c=\\"^\`%20*`

describe.runIf(CAN_RUN)('the code under Sign', () => {
  const nonceStore = new MemoryNonceStore()
  const received = new Map<string, { result: Verification; body: Buffer }>()
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    const webhookId = String(/^\/hooks\/(\w+)/.exec(request.url ?? '')?.[1])
    const result = await verify({ webhookId, headers: request.headers, body }, SECRET, nonceStore)
    received.set(webhookId, { result, body })
    response.writeHead(result.ok ? 200 : 401).end()
  })
  let browser: Browser
  let origin: string

  beforeAll(async () => {
    const { buildWorkbench } = await import('../../../src/workbench/build.js')
    writeFileSync(join(folder, 'workbench.html'), await buildWorkbench())
    browser = await launch()
    await once(server.listen(0, '127.0.0.1'), 'listening')
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })

  afterAll(async () => {
    await browser.close()
    server.closeAllConnections()
    server.close()
    rmSync(folder, { recursive: true })
  })

  async function openSign(language: string): Promise<Page> {
    const page = await browser.newPage()
    await page.goto(pathToFileURL(join(folder, 'workbench.html')).href)
    await page.fill('#secret-1', SECRET)
    await page.click('#tab-sign')
    await page.selectOption('#snippet-language', language)
    return page
  }

  /** Enters the body, and returns the code that the page shows. */
  async function read(page: Page, body: string | Uint8Array, url: string): Promise<string> {
    if ((await page.locator('#payload-chosen button').count()) > 0) await page.click('#payload-chosen button')
    await page.fill('#url', url)
    await page.click('#fresh')
    // A text field changes line ends, so bytes come from a file.
    if (typeof body === 'string' && !body.includes('\r')) await page.fill('#payload', body)
    else {
      await page.setInputFiles('#payload-file', { name: 'body', mimeType: 'text/plain', buffer: Buffer.from(body) })
      await page.waitForFunction(() => document.querySelector('#payload-chosen')?.textContent?.includes('byte by byte'))
    }
    return String(await page.locator('#sign-result pre').last().textContent())
  }

  async function run({ run, file, language }: Program, code: string) {
    const path = join(folder, file)
    writeFileSync(path, code)
    const [program = '', ...args] = [...run, path]
    const go = { GOCACHE: join(folder, 'cache'), GOFLAGS: '-mod=mod', GOTOOLCHAIN: 'local', GOPROXY: 'off' }
    const env = { ...process.env, LC_ALL: 'C.UTF-8', no_proxy: '127.0.0.1', NO_PROXY: '127.0.0.1', ...go }
    const child = spawn(program, args, { env, cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
    let printed = `${language}: `
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => (printed += text))
    const [exitCode] = await once(child, 'close')
    return { exitCode, printed }
  }

  // A busy machine needs seconds to compile Java and Go.
  it.concurrent.each(PROGRAMS)(
    'sends a request that verify accepts, in $language',
    { timeout: 300_000 },
    async (program) => {
      const page = await openSign(program.language)
      for (const [index, [name, body]] of Object.entries(BODIES).entries()) {
        const webhookId = `${program.language}${index}`
        const code = await read(page, body, `${origin}/hooks/${webhookId}${QUERY}`)
        const { exitCode, printed } = await run(program, code)
        expect(exitCode, `${name}: ${printed}`).toBe(0)
        expect(printed, name).toContain('200')
        expect(received.get(webhookId)?.result, name).toMatchObject({ ok: true })
        expect(received.get(webhookId)?.body.equals(Buffer.from(body)), name).toBe(true)
      }
      await page.close()
    },
  )

  it('is not written for a body of more than 1 MiB', async () => {
    const page = await openSign('curl')
    const code = await read(page, new Uint8Array(2 ** 20), origin)
    expect(code.slice(0, 20)).toBe("printf %s 'AAAAAAAAA")
    const headers = await read(page, new Uint8Array(2 ** 20 + 1), origin)
    expect(headers.slice(0, 200)).toMatch(/^X-Timestamp: \d+\nX-Nonce: \S+\nX-Signature: \w{64}$/)
    expect(await page.textContent('#sign-result')).toContain('The body is longer than 1 MiB')
    await page.close()
  })
})

describe('the code in C#, which is not run', () => {
  const headers = [
    ['Content-Type', 'application/json'],
    ['X-Nonce', '"\\'],
  ] as const
  const write = (body: string | Uint8Array) =>
    snippetOf('C#', { url: `https://example.com/hooks/42${QUERY}`, headers, body: Buffer.from(body) })

  const REST = `;
using var request = new HttpRequestMessage(HttpMethod.Post, "https://example.com/hooks/42?a%5B%5D=%7Bb%7D%7C%27$HOME%27&c=%5C%22%5E%60%20*") { Content = new ByteArrayContent(body) };
request.Content.Headers.TryAddWithoutValidation("Content-Type", "application/json");
request.Headers.TryAddWithoutValidation("X-Nonce", "\\"\\\\");
using var client = new HttpClient();
Console.WriteLine((int)(await client.SendAsync(request)).StatusCode);`

  it.each([
    ['', 'System.Text.Encoding.UTF8.GetBytes("")'],
    ['{"a": 1}', String.raw`System.Text.Encoding.UTF8.GetBytes("{\"a\": 1}")`],
    [
      String.raw`\ \\ \" \n \u0041 \x41 \0`,
      String.raw`System.Text.Encoding.UTF8.GetBytes("\\ \\\\ \\\" \\n \\u0041 \\x41 \\0")`,
    ],
    ["{0} $a ' % @", `System.Text.Encoding.UTF8.GetBytes("{0} $a ' % @")`],
    ['a\nb', 'Convert.FromBase64String("YQpi")'],
    ['Zoë', 'Convert.FromBase64String("Wm/Dqw==")'],
    [Uint8Array.of(0, 255), 'Convert.FromBase64String("AP8=")'],
  ])('has the body %j as an expression written by hand', (body, expected) => {
    expect(write(body)).toBe(`var body = ${expected}${REST}`)
  })

  it.each(Object.entries(BODIES))('has only literals with the escapes \\\\ and \\", which C# has: %s', (_, body) => {
    const code = write(body)
    const literals = code.match(/"(?:[^"\\]|\\.)*"/g) ?? []
    expect(literals).toHaveLength(6)
    for (const literal of literals) expect(literal).toMatch(/^"(?:[ !#-[\]-~]|\\[\\"])*"$/)
    // JSON has these two escapes too, with the same meaning.
    const value: string = JSON.parse(String(literals[0]))
    const bytes = Buffer.from(value, code.startsWith('var body = Convert.') ? 'base64' : 'utf8')
    expect(bytes.equals(Buffer.from(body))).toBe(true)
  })
})
