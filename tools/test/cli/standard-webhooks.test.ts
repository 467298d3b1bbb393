import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MemoryNonceStore } from '../../../src/index.js'
import * as standard from '../../../src/standard-webhooks/index.js'
import type { TestClock } from '../../../test/support/request.js'
import {
  ED25519_SIGNATURE,
  PRIVATE_KEY,
  PUBLIC_KEY,
  standardSignatureOf,
} from '../../../test/support/standard-webhooks.js'
import { diagnose as explain } from '../../src/index.js'
import { temporaryFolder } from '../resources.js'
import { StandardReceiver } from '../testing/receivers/receiver.js'
import { ReceiverServer } from '../testing/receivers/serve.js'
import { call, FROM_ENV } from './call.js'

// The commands with the scheme of Standard Webhooks. The vector is the example of its specification.

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const ID = 'msg_p5jXN8AQM9LWM0D4loKWxJek'
const BODY = '{"test": 2432232314}'
const SIGNATURE = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='
const SCHEME = ['--scheme', 'standard-webhooks']
const SAME = ['--timestamp', '1614265330', '--nonce', ID]

const folder = temporaryFolder()
const file = join(folder, 'body.json')
writeFileSync(file, BODY)

const receivers = new ReceiverServer()
beforeAll(() => receivers.start())
afterAll(() => receivers.stop())

/** Serves a handler of this library. */
function serve(secret: string | Uint8Array = SECRET): string {
  const nonceStore = new MemoryNonceStore()
  return receivers.add({
    answer: async (request, body) => {
      const { headersDistinct: headers } = request
      const { ok } = await standard.verify({ webhookId: '42', headers, body }, secret, nonceStore)
      return { status: ok ? 204 : 401 }
    },
  })
}

function run(args: readonly string[], secret = SECRET) {
  const env = { WEBHOOK_SECRET: secret }
  return call([...args, ...FROM_ENV], { clock: Date as unknown as TestClock, env })
}

it('secret creates whsec_ and 32 bytes in base64', async () => {
  expect((await call(['secret', ...SCHEME])).text).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
})

it('secret creates a key pair: the private key, and a note with the public key', async () => {
  const { text, stderr } = await call(['secret', ...SCHEME, '--key-pair'])
  expect(text).toMatch(/^whsk_[A-Za-z0-9+/]{86}==$/)
  const publicKey = `whpk_${Buffer.from(text.slice(5), 'base64').subarray(32).toString('base64')}`
  expect(stderr).toContain(publicKey)
  for (const args of [[], ['--scheme', 'x-signature']]) {
    const { exitCode, said } = await call(['secret', '--key-pair', ...args])
    expect([exitCode, said]).toEqual([2, expect.stringContaining('Pass --scheme standard-webhooks too.')])
  }
})

describe('sign', () => {
  it('signs with a private key', async () => {
    const { text, stderr } = await run(['sign', file, ...SCHEME, ...SAME], PRIVATE_KEY)
    expect([text, stderr]).toEqual([expect.stringContaining(`webhook-signature: ${ED25519_SIGNATURE}\n`), ''])
    expect((await run(['sign', file], PRIVATE_KEY)).said).toContain(
      'The secret begins with whsk_, as secrets of Standard',
    )
  })

  it('prints the three headers', async () => {
    const { text, stderr } = await run(['sign', file, ...SCHEME, ...SAME])
    expect([text, stderr]).toEqual([
      `webhook-id: ${ID}\nwebhook-timestamp: 1614265330\nwebhook-signature: ${SIGNATURE}\n`,
      '',
    ])
  })

  it('uses the text of a secret that is not base64, and says so', async () => {
    const secret = 'not base64, but the text is the key!'
    const { text, said } = await run(['sign', file, ...SCHEME, ...SAME], secret)
    const options = { messageId: ID, timestamp: 1_614_265_330 }
    expect(text).toContain(standard.sign(BODY, Buffer.from(secret), options)['webhook-signature'])
    expect(said).toContain('The secret is not base64 of 24 to 64 bytes, so its text is the key.')
  })

  it('signs with each secret of a rotation, as Supabase prints them', async () => {
    const other = Buffer.alloc(32, 7).toString('base64')
    const secret = `v1,${SECRET}|v1,whsec_${other}`
    const { text, stderr } = await run(['sign', file, ...SCHEME, ...SAME], secret)
    const second = standardSignatureOf({ nonce: ID, timestamp: '1614265330', body: BODY, secret: other })
    expect(text).toContain(`webhook-signature: ${SIGNATURE} ${second}\n`)
    expect(stderr).toBe('')
  })

  it.each([
    [`"${SECRET}"`, 'Secret is in quotes. Remove the quotes.'],
    [`${SECRET} `, 'Secret contains white space. Remove the white space.'],
    [SECRET.replace('9', '-'), 'Secret contains - or _, so it is base64url. Replace - with + and _ with /.'],
    [`v1,${SECRET}|`, 'Part 2 of secret is not base64'],
    ['whsk_ct2JNL9yPZyLLXr5RfFYpMpa', 'Secret begins with whsk_ but is not an Ed25519 key (base64 of 32 or 64 bytes).'],
    [PUBLIC_KEY, 'Secret is a public key, which cannot sign. Pass the private key: whsk_….'],
  ])('refuses a secret with whsec_ that has a mistake, and says which: %s', async (secret, message) => {
    for (const command of [
      ['sign', file],
      ['send', serve(), file],
      ['check', serve()],
    ]) {
      const { exitCode, said } = await run([...command, ...SCHEME], secret)
      expect([exitCode, said]).toEqual([2, expect.stringContaining(message)])
    }
  })

  it('signs with X-Signature if the scheme is not named, but suggests the scheme for whsec_', async () => {
    const { text, said } = await run(['sign', file])
    expect(text).toMatch(/^X-Timestamp: /)
    expect(said).toContain('begins with whsec_, as secrets of Standard Webhooks do. For that scheme, pass --scheme')
    expect((await run(['sign', file, '--scheme', 'x-signature'])).stderr).toBe('')
    const { exitCode, said: unknown } = await run(['sign', file, '--scheme', 'svix'])
    expect([exitCode, unknown]).toEqual([
      2,
      expect.stringContaining('Unknown --scheme "svix". Use one of: x-signature'),
    ])
  })
})

describe('send', () => {
  it('sends a body that the endpoint accepts', async () => {
    const { exitCode, text } = await run(['send', serve(), file, ...SCHEME])
    expect([exitCode, text]).toEqual([0, 'Accepted: 204 No Content\n'])
  })

  it('sends a body that is signed with a private key', async () => {
    const { exitCode, text } = await run(['send', serve(PUBLIC_KEY), file, ...SCHEME], PRIVATE_KEY)
    expect([exitCode, text]).toEqual([0, 'Accepted: 204 No Content\n'])
  })

  it('signs a saved request again by its own scheme, and says that it is old', async () => {
    const { text } = await run(['sign', file, ...SCHEME, ...SAME, '--format', 'http'])
    const saved = join(folder, 'saved.http')
    writeFileSync(saved, text)
    const { exitCode, said } = await run(['send', serve(), '--request', saved])
    expect([exitCode, said]).toEqual([1, expect.stringMatching(/webhook-timestamp is \d+ s old/)])
    expect((await run(['send', serve(), '--request', saved, ...SCHEME])).said).toContain(
      '--scheme is for a new signature',
    )
    expect((await run(['send', serve(), '--request', saved, '--resign'])).exitCode).toBe(0)
  })

  describe('if it signs a saved request again', () => {
    /** Returns the headers that `send --resign` sends for this request. */
    async function resigned(request: string, ...args: string[]): Promise<Record<string, unknown>> {
      const saved = join(folder, 'resigned.http')
      writeFileSync(saved, request)
      let sent = {}
      const url = receivers.add({
        answer: async ({ headers }) => {
          sent = headers
          return { status: 204 }
        },
      })
      await run(['send', url, '--request', saved, '--resign', ...args])
      return sent
    }
    const standardRequest = async () => (await run(['sign', file, ...SCHEME, ...SAME, '--format', 'http'])).text

    it('keeps the ID of the event, but only if it is valid', async () => {
      const request = await standardRequest()
      expect((await resigned(request))['webhook-id']).toBe(ID)
      const invalid = request.replace(ID, 'an ID with spaces')
      expect((await resigned(invalid))['webhook-id']).toMatch(/^msg_/)
    })

    it('never takes the ID for a nonce, or a nonce for an ID', async () => {
      const own = await resigned(await standardRequest(), '--scheme', 'x-signature')
      expect(own).toMatchObject({ 'webhook-id': ID, 'x-nonce': expect.not.stringContaining(ID) })
      const { text } = await run(['sign', file, '--nonce', 'a-nonce', '--format', 'http'])
      expect((await resigned(text, ...SCHEME))['webhook-id']).toMatch(/^msg_/)
    })
  })
})

describe('diagnose', () => {
  const diagnose = async (text: string, ...args: string[]) =>
    call(['diagnose', '-', ...args, ...FROM_ENV], { env: { WEBHOOK_SECRET: SECRET }, stdin: text })
  const signed = async () => (await run(['sign', file, ...SCHEME, ...SAME, '--format', 'http'])).text

  it('finds nothing wrong with a valid request, and names the entry of the library', async () => {
    const { exitCode, text } = await diagnose(await signed(), '--at', 'timestamp')
    expect([exitCode, text]).toEqual([0, expect.stringMatching(/^Valid: there is nothing to fix\./)])
    const line = text.replaceAll(/\s+/g, ' ')
    expect(line).toContain('Time of arrival: 2021-02-25T15:02:10Z, from webhook-timestamp.')
    expect(line).toContain('import from inbound-webhook-auth/standard-webhooks. To check signatures of version v1a')
  })

  it('tries each secret of a rotation, as Supabase prints them, and says which one matched', async () => {
    const secrets = `v1,whsec_${Buffer.alloc(32, 7).toString('base64')}|v1,${SECRET}`
    const args = ['diagnose', '-', '--at', 'timestamp', ...FROM_ENV]
    const { exitCode, text } = await call(args, { env: { WEBHOOK_SECRET: secrets }, stdin: await signed() })
    expect([exitCode, text]).toEqual([0, expect.stringContaining('--secret-env WEBHOOK_SECRET, part 2.')])
    const headers = standard.sign(BODY, SECRET)
    expect(await explain({ webhookId: '42', headers, body: BODY }, secrets, Date)).toMatchObject({ valid: true })
  })

  describe('with a public key', () => {
    const signedWithKey = async () =>
      (await run(['sign', file, ...SCHEME, ...SAME, '--format', 'http'], PRIVATE_KEY)).text
    const withKey = async (text: string, key: string) => {
      const args = ['diagnose', '-', '--at', 'timestamp', ...FROM_ENV]
      const { exitCode, text: printed } = await call(args, { env: { WEBHOOK_SECRET: key }, stdin: text })
      return [exitCode, printed.replaceAll(/\s+/g, ' ')] as const
    }

    it('finds nothing wrong with a valid request, and masks no public key', async () => {
      const [exitCode, text] = await withKey(
        (await signedWithKey()).replace('\r\n', `\r\nX-Key: ${PUBLIC_KEY}\r\n`),
        PUBLIC_KEY,
      )
      expect([exitCode, text]).toEqual([0, expect.stringContaining('Valid: there is nothing to fix.')])
      expect(text).toContain('A public key verifies v1a signatures but cannot sign.')
    })

    it('asks for the other key if the request has only the other signature', async () => {
      expect(await withKey(await signedWithKey(), SECRET)).toEqual([
        1,
        expect.stringMatching(/an Ed25519 signature \(v1a\), which needs the public key .*For v1a signatures, pass/),
      ])
      expect(await withKey(await signed(), PUBLIC_KEY)).toEqual([
        1,
        expect.stringMatching(
          /verifies only v1a signatures of 64 bytes, and .* has none\. .* For v1 signatures, pass the secret of the webhook/,
        ),
      ])
    })

    it('refuses a private key, and a public key that is none', async () => {
      const saved = join(folder, 'signed.http')
      writeFileSync(saved, await signedWithKey())
      for (const [key, message] of [
        [PRIVATE_KEY, 'Secret is a private key, which only the sender may have. Pass the public key: whpk_….'],
        [PUBLIC_KEY.slice(0, -1), 'Secret is not base64 with the right padding.'],
        [`whpk_${Buffer.alloc(32).toString('base64')}`, 'Secret is unsafe, because anybody can forge its signatures.'],
      ] as const) {
        for (const command of [
          ['diagnose', saved],
          ['listen', '--port', '0'],
        ]) {
          const { exitCode, said } = await run(command, key)
          expect([exitCode, said]).toEqual([2, expect.stringContaining(message)])
        }
      }
    })

    it('explains a request in code too, also with both kinds of keys', async () => {
      const headers = standard.sign(BODY, PRIVATE_KEY)
      const request = { webhookId: '42', headers, body: BODY }
      for (const secrets of [PUBLIC_KEY, [SECRET, PUBLIC_KEY]]) {
        expect(await explain(request, secrets, Date)).toMatchObject({ valid: true, findings: [] })
      }
    })
  })

  it('explains a mistake in a captured request in JSON', async () => {
    const lines = (await signed()).split(/\r?\n/).map((line) => line.split(': '))
    const headers = Object.fromEntries(
      lines.filter(([name, value]) => value !== undefined && name !== 'Content-Length'),
    )
    const capture = JSON.stringify({ method: 'POST', path: '/', headers, rawBody: `${BODY}\n` })
    const { exitCode, text } = await diagnose(capture, '--at', 'timestamp')
    expect([exitCode, text]).toEqual([1, expect.stringContaining('(body_newline)')])
    expect(text).not.toMatch(/X-(Nonce|Timestamp|Signature)/)
  })
})

it('check takes the first secret of a rotation, and send masks both', async () => {
  const other = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
  const secrets = `v1,${SECRET}|v1,${other}`
  const checked = await run(['check', serve(), ...SCHEME, '--only', 'accepted-json', '--rate', '10000'], secrets)
  expect(checked.exitCode).toBe(0)
  const talkative = receivers.add({ answer: async () => ({ status: 500, text: secrets }) })
  const { text } = await run(['send', talkative, file, ...SCHEME], secrets)
  expect(text).toContain('v1,whsec_[secret]|v1,whsec_[secret]')
})

describe('check', () => {
  const FAST = ['--skip', 'replay-late', '--rate', '10000', '--timeout', '60']

  it('checks an endpoint with a public key, by the private key', async () => {
    const args = ['check', serve(PUBLIC_KEY), ...SCHEME, ...FAST]
    const { exitCode, text } = await run(args, PRIVATE_KEY)
    expect([exitCode, text]).toEqual([0, expect.stringMatching(/(\d+) of \1 cases pass\./)])
    const accepting = receivers.add({
      answer: async (request) => ({ status: 'webhook-id' in request.headers ? 204 : 401 }),
    })
    const { causes } = JSON.parse((await run(['check', accepting, ...SCHEME, ...FAST, '--json'], PRIVATE_KEY)).text)
    expect(JSON.stringify(causes)).not.toMatch(/HMAC/)
  })

  it('checks an endpoint whose key is the text of the secret', async () => {
    const secret = 'not base64, but the text is the key!'
    const args = ['check', serve(Buffer.from(secret)), ...SCHEME, ...FAST, '--only', 'accepted']
    const { exitCode, text } = await run(args, secret)
    expect(exitCode).toBe(0)
    expect(text).toContain('ok    accepted-retry          the same ID, signed again           204\n')
  })

  it('gives one cause per mistake, in the words of the scheme', async () => {
    const accepting = receivers.add({ answer: async () => ({ status: 204 }) })
    const causes = async (url: string) =>
      JSON.parse((await run(['check', url, ...SCHEME, ...FAST, '--json'])).text).causes
    expect(await causes(accepting)).toMatchObject([{ cause: expect.stringContaining('accepts every request') }])
    const textAsKey = await causes(serve(Buffer.from(SECRET)))
    expect(textAsKey).toMatchObject([{ cause: expect.stringContaining('uses the text of the secret as the key') }])
    const unsigned = receivers.add(Object.assign(new StandardReceiver(SECRET), { isSigned: () => true }))
    expect(await causes(unsigned)).toMatchObject([
      {
        cause: expect.stringContaining('does not check the signature'),
        fix: expect.stringContaining('the ID, a full stop'),
      },
    ])
  })
})
