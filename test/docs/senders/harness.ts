import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { MemoryNonceStore, type Verification, verify } from 'inbound-webhook-auth'
import { expect } from 'vitest'
import { freePort } from '../../support/servers.js'

// Runs the programs of docs/senders/ as a user does, against a server that verifies with the built package.

export const SOURCES = fileURLToPath(new URL('../../../docs/senders', import.meta.url))
/** A folder for what the tests write. The tests remove it. */
export const folder = mkdtempSync(join(tmpdir(), 'senders-'))

/** The options of Mono's compiler. */
const CSHARP = ['-warnaserror', '-r:System.Net.Http.dll']

export interface Sender {
  language: string
  file: string
  needs: string[]
  compile?: (source: string) => string[]
  run: (source: string) => string[]
}

export const ALL: Sender[] = [
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

/** How the server answers an attempt after it has verified it. `result` means the status of the result. */
export type Answer = 'result' | 'hang up' | 'never' | number

interface Attempt {
  result: Verification
  body: Buffer
}

/** A webhook of the server, with its own path. */
export interface Endpoint {
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

export const receive: RequestListener = async (request, response) => {
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
export async function listen(server: Server): Promise<number> {
  const free = await freePort()
  await once(server.listen(free, '127.0.0.1'), 'listening')
  servers.push(server)
  return free
}

/** Starts the server, and compiles the programs of these senders. */
export async function start(senders: readonly Sender[]): Promise<void> {
  port = await listen(createServer(receive))
  // The compilers must write only to this folder, and must not use the network.
  const go = { GOCACHE: join(folder, 'cache'), GOFLAGS: '-mod=mod', GOTOOLCHAIN: 'local', GOPROXY: 'off' }
  for (const { file, compile } of senders) {
    const [compiler, ...args] = compile?.(join(SOURCES, file)) ?? []
    if (compiler) execFileSync(compiler, args, { cwd: folder, env: { ...process.env, ...go }, stdio: 'inherit' })
  }
}

export function stop(): void {
  for (const server of servers) {
    server.closeAllConnections()
    server.close()
  }
  rmSync(folder, { recursive: true })
}

export function endpoint(secret: string, ...answers: Answer[]): Endpoint {
  const url = `http://127.0.0.1:${port}/hooks/${endpoints.length}?source=a%20test`
  const made = { url, secret, answers, attempts: [] }
  endpoints.push(made)
  return made
}

let files = 0

/** Creates a file with this body for a sender. */
export function fileOf(body: string | Uint8Array): string {
  const file = join(folder, `body ${files++}`)
  writeFileSync(file, body)
  return file
}

export const EVENT = '{"id":"evt_1","event":"invoice.paid"}'

/** Runs a sender as a user does. Returns its exit code and its output. */
export async function send(
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

/** Checks what an endpoint received: this number of valid attempts, each with a new nonce and with this body. */
export function expectGenuine({ attempts }: Endpoint, count: number, body: string | Uint8Array = EVENT) {
  expect(attempts.map(({ result }) => result)).toEqual(Array(count).fill(expect.objectContaining({ ok: true })))
  expect(new Set(attempts.map(({ result }) => result.ok && result.nonce)).size).toBe(count)
  for (const attempt of attempts) expect(attempt.body.equals(Buffer.from(body))).toBe(true)
}
