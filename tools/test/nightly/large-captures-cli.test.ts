import { describe, expect, it } from 'vitest'
import { signedRequest, TIMESTAMP } from '../../../test/support/request.js'
import { call, capture, FROM_ENV } from '../cli/call.js'

const DIAGNOSE = ['diagnose', '-', ...FROM_ENV, '--at', TIMESTAMP]

describe('a large capture gives a result, and no error of JavaScript', () => {
  const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
  const WRONG = { secret: 'another secret' }
  const large = Buffer.alloc(9 * 2 ** 20, '{"name":"Zoë"}\n')
  const inJson = (body: object) => JSON.stringify({ headers: signedRequest(WRONG).headers, ...body })

  it.each<[string, () => Buffer | string]>([
    ['a body of 9 MiB', () => capture(large, WRONG)],
    ['a body of 9 MiB whose line ends were changed', () => toLf(capture(toCrlf(large), WRONG))],
    ['a body of 9 MiB in base64', () => inJson({ bodyBase64: large.toString('base64') })],
    [
      '130 000 chunks',
      () => {
        const head = capture('', WRONG).toString('latin1').replace('Content-Length: 0', 'Transfer-Encoding: chunked')
        return `${head}${'1\r\na\r\n'.repeat(130_000)}0\r\n\r\n`
      },
    ],
    ['JSON with 5 000 levels', () => capture(deep(5000), WRONG)],
    ['JSON with 5 000 levels in JSON', () => inJson({ rawBody: deep(5000) })],
    ['JSON around it with 5 000 levels', () => '{"a":'.repeat(5000) + inJson({ rawBody: '' }) + '}'.repeat(5000)],
  ])('%s', async (_, text) => {
    const stdin = text()
    for (const command of ['verify', 'diagnose']) {
      const { exitCode, text: printed, said } = await call([command, ...DIAGNOSE.slice(1)], { stdin })
      expect([exitCode, printed]).toEqual([1, expect.stringMatching(/^Not genuine: /)])
      expect(said).not.toContain('error:')
    }
  })

  it('except a parsed body that cannot be written again, which is a clear error', async () => {
    const stdin = inJson({ body: '' }).replace('"body":""', `"body":${deep(100_000)}`)
    const { exitCode, said } = await call(DIAGNOSE, { stdin })
    expect([exitCode, said]).toEqual([
      2,
      'error: The body is nested too deeply to be written as JSON again. Pass the raw body with --body-file PATH.',
    ])
  })

  const toCrlf = (body: Buffer) => Buffer.from(body.toString('latin1').replaceAll('\n', '\r\n'), 'latin1')
  const toLf = (text: Buffer) => Buffer.from(text.toString('latin1').replaceAll('\r\n', '\n'), 'latin1')
})
