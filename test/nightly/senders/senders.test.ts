import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { ALL, CSHARP, endpoint, expectGenuine, folder, SOURCES, send } from '../../docs/senders/harness.js'
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
  // test/package/readme.test.ts runs the lines of a shell.
  const files = readdirSync(SOURCES).filter((name) => name.includes('.') && name !== 'once.sh')
  expect(files.sort()).toEqual(ALL.map(({ file }) => file).sort())
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
