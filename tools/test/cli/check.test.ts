import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestClock } from '../../../test/support/request.js'
import { serve } from '../resources.js'
import { MISTAKES, type Mistake, Receiver } from '../testing/receivers/receiver.js'
import { ReceiverServer } from '../testing/receivers/serve.js'
import { type Around, call, FROM_ENV } from './call.js'

/** A secret of 32 random bytes, because a weaker one adds a note to the output. */
const SECRET = 'cKsQ_EJbrw_SreUQ0LA3YsYy0sSp_1Fgkp-_M282FlE'

const receivers = new ReceiverServer()
beforeAll(() => receivers.start())
afterAll(() => receivers.stop())

function receiver({ apply = () => ({}) }: Partial<Pick<Mistake, 'apply'>> = {}, shared = new Receiver(SECRET)): string {
  return receivers.add(Object.assign(shared, apply(shared)))
}

/** Runs the command with the real clock, by default without the case that waits for 3 s. */
function check(url: string, args: readonly string[] = ['--skip', 'replay-late'], around: Around = {}) {
  const fast = ['--rate', '10000', ...(args.includes('--timeout') ? [] : ['--timeout', '60'])]
  const env = { WEBHOOK_SECRET: SECRET }
  return call(['check', url, ...FROM_ENV, ...fast, ...args], { clock: Date as unknown as TestClock, env, ...around })
}

const document = async (url: string, args: readonly string[] = ['--skip', 'replay-late']) =>
  JSON.parse((await check(url, ['--json', ...args])).text)

const RIGHT = receiver

describe('check', () => {
  it('finds nothing wrong with a right receiver', async () => {
    const { exitCode, text, stderr } = await check(RIGHT())
    expect([exitCode, stderr]).toEqual([0, ''])
    expect(text).toMatch(/^Checks http:\S+\n47 cases: up to 1\d\d requests, of which \d\d are valid\./)
    expect(text).toContain('At most 10000 per second.')
    expect(text).toContain('ok    replay-again            the same request again              401\n')
    expect(text).toContain('ok    replay-copies           20 copies at once                   1\n')
    expect(text).toMatch(/\n47 of 47 cases pass\.\n$/)
    expect(text).not.toMatch(/.{81}/)
    expect(text).not.toContain('\x1b')
  })

  it('prints the cause and the fix of a failing case within 80 columns', async () => {
    const [mistake] = MISTAKES.filter(({ name }) => name === 'splits at a comma')
    const { exitCode, text } = await check(receiver(mistake), ['--only', 'signature'])
    expect(exitCode).toBe(1)
    expect(text).toMatch(/\nFAIL {2}signature-form +the signature in another form +204, not 4xx\n/)
    expect(text).toMatch(
      /\nWhat to change:\n\n1\. .*two signatures with a comma(.*\n)+ {3}Fix: (.*\n)+ {3}Cases: signature-form\n/,
    )
    expect(text).toContain('\n6 of 7 cases pass.\n')
    expect(text).not.toMatch(/.{81}/)
  })

  it('is a document with --json', async () => {
    const [mistake] = MISTAKES.filter(({ name }) => name === 'compares 63 digits')
    const { endpoint, ok, cases, causes, skipped, notes } = await document(receiver(mistake), ['--only', 'signature'])
    expect([ok, skipped, notes]).toEqual([false, [], []])
    expect(endpoint).toMatch(/^http:/)
    expect(cases).toHaveLength(7)
    const accepted = { code: 'accepted-json', rule: 'accepted', sent: 'JSON', expected: 'accepted' }
    expect(cases[0]).toEqual({ ...accepted, ok: true, statuses: [204] })
    const digit = { code: 'signature-digit', rule: 'signature', sent: 'one digit changed', expected: 'rejected' }
    const why = { fault: 'accepted', cause: expect.any(String), fix: expect.any(String) }
    const failed = cases.filter((one: { ok: boolean }) => !one.ok)
    expect(failed).toEqual([{ ...digit, ...why, ok: false, statuses: [204] }])
    expect(causes).toMatchObject([{ codes: ['signature-digit'] }])
  })

  it('ends if the first request is refused, and says why and how to find out', async () => {
    const [mistake] = MISTAKES
    const { exitCode, text, said } = await check(receiver(mistake))
    expect(exitCode).toBe(1)
    expect(text).toMatch(/^FAIL {2}accepted-json +JSON +401, not 2xx$/m)
    expect(text).not.toContain('accepted-empty')
    const line = text.replaceAll(/\s+/g, ' ')
    expect(line).toContain('1. A valid request is refused.')
    expect(line).toContain('run inbound-webhook-tools listen --forward-to http://')
    expect(line).toContain('without-node')
    expect(line).toContain('The endpoint refuses a valid request, so no other case was run.')
    expect(said).toBe('')
  })

  it('cannot run if nothing answers', async () => {
    const { origin } = await serve(() => {})
    const { exitCode, said } = await check(origin, ['--timeout', '0.1'])
    expect([exitCode, said]).toEqual([2, expect.stringContaining('does not respond: no response (none within 0.1 s).')])
  })

  it('sends replays and copies to all instances', async () => {
    const same = RIGHT()
    expect((await check(same, ['--instance', same, '--only', 'replay', '--skip', 'replay-late'])).exitCode).toBe(0)
    const others = [RIGHT(), RIGHT()].flatMap((url) => ['--instance', url])
    const { causes } = await document(RIGHT(), [...others, '--only', 'replay-again,replay-copies'])
    expect(causes).toMatchObject([{ cause: expect.stringMatching(/has one store per process/) }])
    const { cases } = await document(RIGHT(), ['--instance', receiver(MISTAKES[0]), '--only', 'replay-again'])
    const cause = expect.stringContaining('refuses a valid request in this case')
    expect(cases[1]).toMatchObject({ ok: false, cause })
  })

  it('runs some cases only, and always the first one', async () => {
    const codes = async (...args: string[]) =>
      (await document(RIGHT(), args)).cases.map(({ code }: { code: string }) => code)
    const some = await codes('--only', 'nonce-empty, body-changed', '--only', 'timestamp-form')
    expect(some).toEqual(['accepted-json', 'timestamp-form', 'nonce-empty', 'body-changed'])
    const all = await codes('--only', 'nonce', '--skip', 'nonce-form')
    expect(all).toEqual(['accepted-json', 'nonce-empty'])
    const { exitCode, said } = await check(RIGHT(), ['--only', 'nonce-emty'])
    expect([exitCode, said]).toEqual([2, expect.stringContaining('Did you mean nonce-empty?')])
  })

  it('goes on after a request without a response, and ends after five of them', async () => {
    const right = new Receiver(SECRET)
    const { origin } = await serve(async (request, response, body) => {
      const { status } = await right.answer(request, body)
      if (status === 204) response.writeHead(status).end()
      else response.destroy()
    })
    const { exitCode, text } = await check(origin, ['--only', 'headers'])
    expect(exitCode).toBe(1)
    // The first of them is the forged request before the cases.
    expect(text.match(/none, not 4xx/g)).toHaveLength(4)
    expect(text).toContain('The run ended early')
    expect(text).toContain('1. No response came. Perhaps the handler does not respond in every branch')
  })

  it('never prints the secret, also if the endpoint answers with it', async () => {
    const url = receivers.add({ answer: async () => ({ status: 401, text: SECRET }) })
    for (const args of [[], ['--json']]) {
      const { text, stderr } = await check(url, ['--only', 'headers', ...args])
      expect(text + stderr).not.toContain(SECRET)
    }
  })

  it.each([
    [[], 'Missing URL. Pass a URL such as https://example.com'],
    [['http://localhost/', '--instance', 'nonsense'], '--instance "nonsense" is not an http or https URL.'],
    [['http://localhost/', '--rate', '0'], '--rate is 0. Pass at least 0.01 requests per second.'],
    [['http://localhost/', '--timeout', '0'], '--timeout is 0. Pass a number of seconds above 0, and up to 86400.'],
    [['http://localhost/', '--body', 'none.json'], 'Cannot read the event of --body "none.json": no such file'],
  ])('%j is an error', async (args, message) => {
    const { exitCode, text, said } = await call(['check', ...args, ...FROM_ENV])
    expect([exitCode, text]).toEqual([2, ''])
    expect(said).toContain(message)
  })
})
