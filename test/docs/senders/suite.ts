import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer as createSecureServer } from 'node:https'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SECRET } from '../../support/request.js'
import {
  ALL,
  type Answer,
  type Endpoint,
  EVENT,
  endpoint,
  expectGenuine,
  fileOf,
  folder,
  listen,
  receive,
  type Sender,
  SOURCES,
  send,
  start,
  stop,
} from './harness.js'

interface Vector {
  secrets: string[]
  requests: { headers: [string, string][]; bodyBase64: string; expected: { ok: boolean } }[]
}

/** The valid requests of docs/vectors.json: the first of each vector, if it is valid. */
function genuineVectors() {
  const { vectors }: { vectors: Vector[] } = JSON.parse(readFileSync(join(SOURCES, '../vectors.json'), 'utf8'))
  return vectors.flatMap(({ secrets: [secret = ''], requests: [request] }) => {
    if (!request?.expected.ok) return []
    const [timestamp, nonce, signature] = request.headers.map(([, value]) => value)
    return [{ secret, timestamp, nonce, signature, bodyBase64: request.bodyBase64 }]
  })
}

/** Tests programs of `docs/senders/`. */
export function describeSenders(senders: readonly Sender[]): void {
  beforeAll(() => start(senders), 300_000)
  afterAll(stop)

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

    it.concurrent.each(senders)('by $language', async (sender) => {
      for (const { secret, body } of cases) {
        const webhook = endpoint(secret, 'result')
        expect(await send(sender, webhook.url, secret, fileOf(body))).toMatchObject({ exitCode: 0 })
        expectGenuine(webhook, 1, body)
      }
    })
  })

  describe('a body of 1 MiB of any bytes arrives as it was', () => {
    const body = Uint8Array.from({ length: 2 ** 20 }, (_, index) => (index * 7 + (index >> 8)) % 256)
    it.concurrent.each(senders)('from $language', async (sender) => {
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
    it.concurrent.each(senders)('by $language', async (sender) => {
      const webhook = endpoint(SECRET, answer, 'result')
      expect(await send(sender, webhook.url, SECRET)).toMatchObject({ exitCode: 0 })
      expectGenuine(webhook, 2)
    })
  })

  describe.each([200, 202, 204])('%d is success', (status) => {
    it.concurrent.each(senders)('for $language', async (sender) => {
      const webhook = endpoint(SECRET, status)
      expect(await send(sender, webhook.url, SECRET)).toMatchObject({ exitCode: 0 })
      expectGenuine(webhook, 1)
    })
  })

  describe.each([301, 302, 307, 400, 401, 404])(
    '%d is a failure: it is not tried again, and a redirect is not followed',
    (status) => {
      it.concurrent.each(senders)('for $language', async (sender) => {
        const webhook = endpoint(SECRET, status)
        const { exitCode, printed } = await send(sender, webhook.url, SECRET)
        expect(exitCode).toBe(1)
        expect(printed).toContain(String(status))
        expectGenuine(webhook, 1)
      })
    },
  )

  describe('a request with a wrong secret fails, and is not tried again', () => {
    it.concurrent.each(senders)('for $language', async (sender) => {
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
    it.concurrent.each(senders)('by $language', async (sender) => {
      const webhook = endpoint(SECRET, 'result')
      const { exitCode, printed } = await send(sender, webhook.url, secret, file)
      expect(exitCode).toBeGreaterThan(0)
      expect(printed).not.toBe('')
      expect(webhook.attempts).toEqual([])
    })
  })

  it.runIf(senders.some(({ language }) => language === 'a shell'))(
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
    it.concurrent.each(senders)('by $language', async (sender) => {
      const webhook = endpoint('schlüssel 🔑', 'result')
      const { exitCode, printed } = await send(sender, webhook.url, webhook.secret, fileOf(EVENT), { LC_ALL: 'C' })
      const refused = sender.language === 'Java' && exitCode === 1
      if (refused) expect(printed).toContain('run it with LC_ALL=C.UTF-8')
      else expect(exitCode).toBe(0)
      expectGenuine(webhook, refused ? 0 : 1)
    })
  })

  describe('over TLS', () => {
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
      if (senders.some(({ language }) => language === 'Java')) {
        const store = ['-keystore', trustStore, '-storepass', 'changeit']
        execFileSync('keytool', ['-importcert', '-noprompt', '-file', certificate, ...store], { stdio: 'ignore' })
      }
      if (senders.some(({ language }) => language === 'C#')) {
        execFileSync('cert-sync', ['--quiet', '--user', certificate], { env: { ...process.env, ...TRUSTING } })
      }
      const identity = { key: readFileSync(key), cert: readFileSync(certificate) }
      port = await listen(createSecureServer(identity, receive))
    })

    // On other systems, some languages use the certificates of the operating system.
    describe.runIf(process.platform === 'linux')('an event reaches a server that is trusted', () => {
      it.concurrent.each(senders)('from $language', async (sender) => {
        const webhook = endpoint(SECRET, 'result')
        expect(await send(sender, securely(webhook, sender), SECRET, fileOf(EVENT), TRUSTING)).toMatchObject({
          exitCode: 0,
        })
        expectGenuine(webhook, 1)
      })
    })

    describe('nothing reaches a server that is not', () => {
      it.concurrent.each(senders)('from $language', async (sender) => {
        const webhook = endpoint(SECRET, 'result')
        expect(await send(sender, securely(webhook, sender), SECRET)).toMatchObject({ exitCode: 1 })
        expectGenuine(webhook, 0)
      })
    })
  })
}
