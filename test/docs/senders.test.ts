import { type ChildProcess, execFile, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { MemoryNonceStore, type Verification, verify } from 'inbound-webhook-auth'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PACKAGES } from '../full/packages.js'
import { codeBlocks } from '../support/code-blocks.js'
import { isInstalled } from '../support/programs.js'
import { SECRET } from '../support/request.js'
import { freePort } from '../support/servers.js'

// Runs the programs of docs/senders/ as a user does, against a server that verifies with the built package.

const SOURCES = fileURLToPath(new URL('../../docs/senders', import.meta.url))
/** The command line of Postman. */
const NEWMAN = join(PACKAGES, 'newman/bin/newman.js')
const folder = mkdtempSync(join(tmpdir(), 'senders-'))

/** The options of Mono's compiler. */
const CSHARP = ['-warnaserror', '-r:System.Net.Http.dll']

interface Sender {
  language: string
  file: string
  needs: string[]
  compile?: (source: string) => string[]
  run: (source: string) => string[]
}

const ALL: Sender[] = [
  { language: 'Node', file: 'send.mjs', needs: [], run: (source) => [process.execPath, source] },
  { language: 'Python', file: 'send.py', needs: ['python3'], run: (source) => ['python3', source] },
  {
    language: 'Go',
    file: 'send.go',
    needs: ['go'],
    compile: (source) => ['go', 'build', '-o', join(folder, 'send'), source],
    run: () => [join(folder, 'send')],
  },
  { language: 'Ruby', file: 'send.rb', needs: ['ruby'], run: (source) => ['ruby', '-w', source] },
  { language: 'PHP', file: 'send.php', needs: ['php'], run: (source) => ['php', source] },
  {
    language: 'Java',
    file: 'Send.java',
    needs: ['javac'],
    compile: (source) => ['javac', '-Xlint:all', '-Werror', '-d', folder, source],
    // With one compiler and one thread for memory, it starts in two thirds of the time.
    run: () => ['java', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-cp', folder, 'Send'],
  },
  {
    language: 'C#',
    file: 'Send.cs',
    needs: ['mcs'],
    compile: (source) => ['mcs', ...CSHARP, `-out:${join(folder, 'send.exe')}`, source],
    run: () => ['mono', join(folder, 'send.exe')],
  },
  { language: 'a shell', file: 'send.sh', needs: ['curl', 'openssl'], run: (source) => ['sh', source] },
]
const SENDERS = ALL.filter(({ needs }) => needs.every((name) => isInstalled(name)))

/** How the server answers an attempt after it has verified it. `result` means the status of the result. */
type Answer = 'result' | 'hang up' | 'never' | number

interface Attempt {
  result: Verification
  body: Buffer
}

/** A webhook of the server, with its own path. */
interface Endpoint {
  url: string
  secret: string
  /** The answers to the attempts, in order. The last answer is repeated. */
  answers: Answer[]
  attempts: Attempt[]
}

const endpoints: Endpoint[] = []
const nonceStore = new MemoryNonceStore()
const servers: Server[] = []
let port: number

const receive: RequestListener = async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const body = Buffer.concat(chunks)
  const webhookId = request.url ?? ''
  const webhook = endpoints[Number(/^\/hooks\/(\d+)\?/.exec(webhookId)?.[1])]
  // The target of the redirects accepts everything.
  if (webhook === undefined) return response.writeHead(204).end()
  const { secret, answers, attempts } = webhook
  const result = await verify({ webhookId, headers: request.headers, body }, secret, nonceStore)
  const answer = answers[attempts.length] ?? answers.at(-1)
  attempts.push({ result, body })
  if (answer === 'hang up') request.socket.destroy()
  else if (typeof answer === 'number') response.writeHead(answer, { Location: '/elsewhere' }).end('an answer')
  else if (answer === 'result') response.writeHead(result.ok ? 204 : 401).end()
  return
}

/** Starts a server on a free loopback port, and returns the port. */
async function listen(server: Server): Promise<number> {
  const free = await freePort()
  await once(server.listen(free, '127.0.0.1'), 'listening')
  servers.push(server)
  return free
}

beforeAll(async () => {
  port = await listen(createServer(receive))
})

beforeAll(() => {
  // The compilers must write only to this folder, and must not use the network.
  const go = { GOCACHE: join(folder, 'cache'), GOFLAGS: '-mod=mod', GOTOOLCHAIN: 'local', GOPROXY: 'off' }
  for (const { file, compile } of SENDERS) {
    const [compiler, ...args] = compile?.(join(SOURCES, file)) ?? []
    if (compiler) execFileSync(compiler, args, { cwd: folder, env: { ...process.env, ...go }, stdio: 'inherit' })
  }
}, 300_000)

afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections()
    server.close()
  }
  rmSync(folder, { recursive: true })
})

function endpoint(secret: string, ...answers: Answer[]): Endpoint {
  const url = `http://127.0.0.1:${port}/hooks/${endpoints.length}?source=a%20test`
  const made = { url, secret, answers, attempts: [] }
  endpoints.push(made)
  return made
}

let files = 0

/** Creates a file with this body for a sender. */
function fileOf(body: string | Uint8Array): string {
  const file = join(folder, `body ${files++}`)
  writeFileSync(file, body)
  return file
}

const EVENT = '{"id":"evt_1","event":"invoice.paid"}'

/** Runs a sender as a user does. Returns its exit code and its output. */
async function send(
  sender: Sender,
  url: string,
  secret: string | undefined,
  file = fileOf(EVENT),
  more: NodeJS.ProcessEnv = {},
) {
  const { WEBHOOK_SECRET: _, ...inherited } = process.env
  const env = { ...inherited, LC_ALL: 'C.UTF-8', no_proxy: '127.0.0.1', NO_PROXY: '127.0.0.1', ...more }
  const [program = '', ...args] = [...sender.run(join(SOURCES, sender.file)), url, file]
  const child: ChildProcess = spawn(program, args, {
    env: secret === undefined ? env : { ...env, WEBHOOK_SECRET: secret },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (text) => (printed += text))
  const [exitCode] = await once(child, 'close')
  return { exitCode, printed }
}

/** Checks what an endpoint received: this number of genuine attempts, each with a new nonce and with this body. */
function expectGenuine({ attempts }: Endpoint, count: number, body: string | Uint8Array = EVENT) {
  expect(attempts.map(({ result }) => result)).toEqual(Array(count).fill(expect.objectContaining({ ok: true })))
  expect(new Set(attempts.map(({ result }) => result.ok && result.nonce)).size).toBe(count)
  for (const attempt of attempts) expect(attempt.body.equals(Buffer.from(body))).toBe(true)
}

it('every file of docs/senders/ is run', () => {
  // test/package/readme.test.ts runs the lines of a shell.
  const files = readdirSync(SOURCES).filter((name) => name.includes('.') && name !== 'once.sh')
  expect(files.sort()).toEqual(ALL.map(({ file }) => file).sort())
})

interface Vector {
  secrets: string[]
  requests: { headers: [string, string][]; bodyBase64: string; expected: { ok: boolean } }[]
}

/** The genuine requests of docs/vectors.json: the first of each vector, if it is genuine. */
function genuineVectors() {
  const { vectors }: { vectors: Vector[] } = JSON.parse(readFileSync(join(SOURCES, '../vectors.json'), 'utf8'))
  return vectors.flatMap(({ secrets: [secret = ''], requests: [request] }) => {
    if (!request?.expected.ok) return []
    const [timestamp, nonce, signature] = request.headers.map(([, value]) => value)
    return [{ secret, timestamp, nonce, signature, bodyBase64: request.bodyBase64 }]
  })
}

describe('secrets and bodies of docs/vectors.json are signed so that the server accepts them', () => {
  // An environment variable cannot contain a NUL.
  const secrets = [...new Set(genuineVectors().map(({ secret }) => secret))].filter((one) => !one.includes('\0'))
  const all = [...new Set(genuineVectors().map(({ bodyBase64 }) => bodyBase64))]
  // Senders read a body as bytes, so one body of printable ASCII is enough.
  const isPlain = (base64: string) => /^[ -~]+$/.test(Buffer.from(base64, 'base64').toString('latin1'))
  const bodies = all.filter((base64) => !isPlain(base64) || base64 === all.find(isPlain))
  const cases = Array.from({ length: Math.max(secrets.length, bodies.length) }, (_, index) => ({
    secret: secrets[index % secrets.length] ?? '',
    body: Buffer.from(bodies[index % bodies.length] ?? '', 'base64'),
  }))

  it('are enough to test with', () => {
    expect(secrets.length).toBeGreaterThan(10)
    expect(bodies.length).toBeGreaterThanOrEqual(10)
  })

  it.concurrent.each(SENDERS)('by $language', async (sender) => {
    for (const { secret, body } of cases) {
      const webhook = endpoint(secret, 'result')
      expect(await send(sender, webhook.url, secret, fileOf(body))).toMatchObject({ exitCode: 0 })
      expectGenuine(webhook, 1, body)
    }
  })
})

describe('a body of 1 MiB of any bytes arrives as it was', () => {
  const body = Uint8Array.from({ length: 2 ** 20 }, (_, index) => (index * 7 + (index >> 8)) % 256)
  it.concurrent.each(SENDERS)('from $language', async (sender) => {
    const webhook = endpoint(SECRET, 'result')
    expect(await send(sender, webhook.url, SECRET, fileOf(body))).toMatchObject({ exitCode: 0 })
    expectGenuine(webhook, 1, body)
  })
})

describe.each<[string, Answer]>([
  ['a 503', 503],
  ['a 500', 500],
  ['a 429', 429],
  ['a connection that breaks before the answer', 'hang up'],
])('after %s, which used up the nonce, the event is signed again and accepted', (_, answer) => {
  it.concurrent.each(SENDERS)('by $language', async (sender) => {
    const webhook = endpoint(SECRET, answer, 'result')
    expect(await send(sender, webhook.url, SECRET)).toMatchObject({ exitCode: 0 })
    expectGenuine(webhook, 2)
  })
})

describe.each([200, 202, 204])('%d is success', (status) => {
  it.concurrent.each(SENDERS)('for $language', async (sender) => {
    const webhook = endpoint(SECRET, status)
    expect(await send(sender, webhook.url, SECRET)).toMatchObject({ exitCode: 0 })
    expectGenuine(webhook, 1)
  })
})

describe.each([301, 302, 307, 400, 401, 404])(
  '%d is a failure: it is not tried again, and a redirect is not followed',
  (status) => {
    it.concurrent.each(SENDERS)('for $language', async (sender) => {
      const webhook = endpoint(SECRET, status)
      const { exitCode, printed } = await send(sender, webhook.url, SECRET)
      expect(exitCode).toBe(1)
      expect(printed).toContain(String(status))
      expectGenuine(webhook, 1)
    })
  },
)

describe('a request with a wrong secret fails, and is not tried again', () => {
  it.concurrent.each(SENDERS)('for $language', async (sender) => {
    const webhook = endpoint(SECRET, 'result')
    expect(await send(sender, webhook.url, `${SECRET} `)).toMatchObject({ exitCode: 1 })
    expect(webhook.attempts).toMatchObject([{ result: { ok: false, reason: 'signature_mismatch' } }])
  })
})

describe.each([
  ['no secret', undefined, fileOf(EVENT)],
  ['an empty secret', '', fileOf(EVENT)],
  ['a file that is not there', SECRET, join(folder, 'absent')],
  ['a folder for a file', SECRET, folder],
])('with %s nothing is sent', (_, secret, file) => {
  it.concurrent.each(SENDERS)('by $language', async (sender) => {
    const webhook = endpoint(SECRET, 'result')
    const { exitCode, printed } = await send(sender, webhook.url, secret, file)
    expect(exitCode).toBeGreaterThan(0)
    expect(printed).not.toBe('')
    expect(webhook.attempts).toEqual([])
  })
})

it.runIf(isInstalled('curl') && isInstalled('openssl'))(
  'the shell passes the secret to no program as an argument',
  async () => {
    const programs = join(folder, 'programs')
    const log = join(folder, 'arguments')
    mkdirSync(programs)
    for (const name of ['cat', 'curl', 'cut', 'date', 'od', 'openssl', 'sleep']) {
      const real = execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim()
      writeFileSync(join(programs, name), `#!/bin/sh\nprintf '%s\\n' "${name} $*" >> '${log}'\nexec ${real} "$@"\n`, {
        mode: 0o755,
      })
    }
    const webhook = endpoint(SECRET, 'result')
    const shell = ALL.filter(({ language }) => language === 'a shell')
    for (const sender of shell) {
      const PATH = `${programs}:${process.env['PATH']}`
      expect(await send(sender, webhook.url, SECRET, fileOf(EVENT), { PATH })).toMatchObject({ exitCode: 0 })
    }
    expectGenuine(webhook, 1)
    const seen = readFileSync(log, 'utf8')
    expect(seen).toMatch(/^openssl dgst -sha256/m)
    for (const secret of [SECRET, Buffer.from(SECRET).toString('hex')]) expect(seen).not.toContain(secret)
  },
)

describe('in the C locale, a secret outside ASCII is used unchanged, or the sender stops', () => {
  it.concurrent.each(SENDERS)('by $language', async (sender) => {
    const webhook = endpoint('schlüssel 🔑', 'result')
    const { exitCode, printed } = await send(sender, webhook.url, webhook.secret, fileOf(EVENT), { LC_ALL: 'C' })
    const refused = sender.language === 'Java' && exitCode === 1
    if (refused) expect(printed).toContain('run it with LC_ALL=C.UTF-8')
    else expect(exitCode).toBe(0)
    expectGenuine(webhook, refused ? 0 : 1)
  })
})

describe.runIf(isInstalled('openssl'))('over TLS', () => {
  const certificate = join(folder, 'certificate.pem')
  const trustStore = join(folder, 'trusted.p12')
  const TRUSTING = {
    NODE_EXTRA_CA_CERTS: certificate,
    SSL_CERT_FILE: certificate,
    CURL_CA_BUNDLE: certificate,
    // Mono keeps its certificates here.
    XDG_CONFIG_HOME: join(folder, 'config'),
    JAVA_TOOL_OPTIONS: `-Djavax.net.ssl.trustStore=${trustStore} -Djavax.net.ssl.trustStorePassword=changeit`,
  }
  let port: number

  /** Mono finds no IP addresses in a certificate. */
  const securely = ({ url }: Endpoint, { language }: Sender) =>
    url.replace(/^.*(?=\/hooks)/, `https://${language === 'C#' ? 'localhost' : '127.0.0.1'}:${port}`)

  beforeAll(async () => {
    const key = join(folder, 'key.pem')
    const made = ['-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', certificate, '-days', '2']
    const named = ['-subj', '/CN=a test', '-addext', 'subjectAltName=IP:127.0.0.1,DNS:localhost']
    execFileSync('openssl', ['req', '-x509', ...made, ...named], { stdio: 'ignore' })
    if (SENDERS.some(({ language }) => language === 'Java')) {
      const store = ['-keystore', trustStore, '-storepass', 'changeit']
      execFileSync('keytool', ['-importcert', '-noprompt', '-file', certificate, ...store], { stdio: 'ignore' })
    }
    if (SENDERS.some(({ language }) => language === 'C#')) {
      execFileSync('cert-sync', ['--quiet', '--user', certificate], { env: { ...process.env, ...TRUSTING } })
    }
    const identity = { key: readFileSync(key), cert: readFileSync(certificate) }
    port = await listen(createSecureServer(identity, receive))
  })

  // On other systems, some languages use the certificates of the operating system.
  describe.runIf(process.platform === 'linux')('an event reaches a server that is trusted', () => {
    it.concurrent.each(SENDERS)('from $language', async (sender) => {
      const webhook = endpoint(SECRET, 'result')
      expect(await send(sender, securely(webhook, sender), SECRET, fileOf(EVENT), TRUSTING)).toMatchObject({
        exitCode: 0,
      })
      expectGenuine(webhook, 1)
    })
  })

  describe('nothing reaches a server that is not', () => {
    it.concurrent.each(SENDERS)('from $language', async (sender) => {
      const webhook = endpoint(SECRET, 'result')
      expect(await send(sender, securely(webhook, sender), SECRET)).toMatchObject({ exitCode: 1 })
      expectGenuine(webhook, 0)
    })
  })
})

describe.concurrent('patience', () => {
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

/** A function of docs/senders/functions, and a program that calls it with the URL in an argument. It prints the status. */
interface Caller {
  file: string
  needs: string[]
  /** Whether a library of the language is installed. */
  has?: () => boolean
  caller: [name: string, source: string]
  run: (folder: string) => string[][]
}

const execute = promisify(execFile)

const succeeds = (program: string, ...args: string[]) => spawnSync(program, args, { stdio: 'ignore' }).status === 0

const CALLERS: Caller[] = [
  {
    file: 'webhook.php',
    needs: ['php'],
    has: () => succeeds('php', '-r', 'exit(extension_loaded("curl") ? 0 : 1);'),
    caller: [
      'call.php',
      '<?php require __DIR__ . "/webhook.php"; echo sendWebhook($argv[1], ["a" => "ü/", "b" => 12.5], getenv("WEBHOOK_SECRET"));',
    ],
    run: (at) => [['php', join(at, 'call.php')]],
  },
  {
    file: 'webhook.py',
    needs: ['python3'],
    has: () => succeeds('python3', '-c', 'import requests'),
    caller: [
      'call.py',
      'import os, sys, webhook\nprint(webhook.send_webhook(sys.argv[1], {"a": "ü/", "b": 12.5}, os.environ["WEBHOOK_SECRET"]))',
    ],
    run: (at) => [['python3', join(at, 'call.py')]],
  },
  {
    file: 'webhook.mjs',
    needs: [],
    caller: [
      'call.mjs',
      "import { sendWebhook } from './webhook.mjs'\nconsole.log(await sendWebhook(process.argv[2], { a: 'ü/', b: 12.5 }, process.env.WEBHOOK_SECRET))",
    ],
    run: (at) => [[process.execPath, join(at, 'call.mjs')]],
  },
  {
    file: 'webhook.rb',
    needs: ['ruby'],
    caller: [
      'call.rb',
      "require_relative 'webhook'\nputs send_webhook(ARGV[0], { a: 'ü/', b: 12.5 }, ENV['WEBHOOK_SECRET'])",
    ],
    run: (at) => [['ruby', '-w', join(at, 'call.rb')]],
  },
  {
    file: 'webhook.go',
    needs: ['go'],
    caller: [
      'call/call.go',
      'package main\nimport ("fmt"; "os"; "example.com/webhook")\nfunc main() { fmt.Print(webhook.Send(os.Args[1], map[string]any{"a": "ü/", "b": 12.5}, os.Getenv("WEBHOOK_SECRET"))) }',
    ],
    run: (at) => [['go', 'build', '-o', join(at, 'called'), './call'], [join(at, 'called')]],
  },
  {
    file: 'Webhook.java',
    needs: ['javac'],
    caller: [
      'Call.java',
      'class Call { public static void main(String[] args) throws Exception { System.out.print(Webhook.send(args[0], "{\\"a\\":\\"\\u00fc/\\",\\"b\\":12.5}", System.getenv("WEBHOOK_SECRET"))); } }',
    ],
    run: (at) => [
      ['javac', '-Xlint:all', '-Werror', '-d', at, join(at, 'Webhook.java'), join(at, 'Call.java')],
      ['java', '-cp', at, 'Call'],
    ],
  },
  {
    file: 'Webhook.cs',
    needs: ['mcs'],
    caller: [
      'Call.cs',
      'class Call { static void Main(string[] args) { System.Console.Write(Webhook.Send(args[0], "{\\"a\\":\\"\\u00fc/\\",\\"b\\":12.5}", System.Environment.GetEnvironmentVariable("WEBHOOK_SECRET")).Result); } }',
    ],
    run: (at) => [
      ['mcs', ...CSHARP, `-out:${join(at, 'call.exe')}`, join(at, 'Webhook.cs'), join(at, 'Call.cs')],
      ['mono', join(at, 'call.exe')],
    ],
  },
]

describe('the functions to copy', () => {
  const installed = CALLERS.filter(({ needs, has }) => needs.every((name) => isInstalled(name)) && (has?.() ?? true))

  it('are all in this list', () => {
    expect(readdirSync(join(SOURCES, 'functions')).sort()).toEqual(CALLERS.map(({ file }) => file).sort())
  })

  it.concurrent.each(installed)(
    '$file signs and sends an event, and returns the status',
    async ({ file, caller, run }) => {
      const at = mkdtempSync(join(folder, 'function-'))
      mkdirSync(join(at, 'call'))
      cpSync(join(SOURCES, 'functions', file), join(at, file))
      writeFileSync(join(at, 'go.mod'), 'module example.com/webhook\n\ngo 1.18\n')
      writeFileSync(join(at, caller[0]), caller[1])
      const go = { GOCACHE: join(folder, 'cache'), GOTOOLCHAIN: 'local', GOPROXY: 'off', GOFLAGS: '' }
      const env = { ...process.env, ...go, WEBHOOK_SECRET: SECRET, LC_ALL: 'C.UTF-8', no_proxy: '127.0.0.1' }
      const [last = [], ...builds] = run(at).reverse()
      // A build that blocks this process would keep the endpoints of the other senders from answering within their deadlines.
      for (const [program = '', ...args] of builds) await execute(program, args, { cwd: at, env })
      for (const answer of ['result', 429, 302] as const) {
        const webhook = endpoint(SECRET, answer)
        const [program = '', ...args] = last
        const child = spawn(program, [...args, webhook.url], { cwd: at, env, stdio: ['ignore', 'pipe', 'inherit'] })
        let printed = ''
        child.stdout.setEncoding('utf8').on('data', (text) => (printed += text))
        await once(child, 'close')
        expect(Number.parseInt(printed, 10)).toBe(answer === 'result' ? 204 : answer)
        expect(webhook.attempts.map(({ result }) => result.ok)).toEqual([true])
        expect(JSON.parse(String(webhook.attempts[0]?.body))).toEqual({ a: 'ü/', b: 12.5 })
      }
    },
  )
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

  it.runIf(isInstalled("Postman's command line", existsSync(NEWMAN)))(
    'of Postman signs the body, in the sandbox of Postman',
    async () => {
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
    },
  )
})
