import { expect, it } from 'vitest'
import { NONCE, NOW, SECRET, signatureOf, signedRequest, TIMESTAMP } from '../../../test/support/request.js'
import { diagnose } from '../../src/diagnose/index.js'

const CLOCK = { now: () => NOW }

it.each([
  ['python-requests/2.32.3', 'python'],
  ['GuzzleHttp/7', 'php'],
  ['Go-http-client/1.1', 'go'],
  ['Faraday v2.9.0', 'ruby'],
  ['okhttp/4.12.0', 'java'],
  ['axios/1.7.2', 'node'],
  ['RestSharp/110.2.0.0', 'csharp'],
  ['libwww-perl/6.67', 'perl'],
  ['curl/8.5.0', 'shell'],
])('User-Agent %s is %s, whose line is first', async (agent, language) => {
  const { headers, body } = signedRequest({ signature: signatureOf(TIMESTAMP, NONCE, 'a body\n', SECRET) })
  const request = { webhookId: '42', headers: { ...headers, 'user-agent': agent }, body }
  const { language: named, findings } = await diagnose(request, SECRET, CLOCK)
  expect(named).toBe(language)
  expect(Object.keys(findings[0]?.fixes ?? {})[0]).toBe(language)
})

it.each(['Mozilla/5.0', '', undefined])('User-Agent %j names no language', async (agent) => {
  const { headers, body } = signedRequest()
  const request = { webhookId: '42', headers: { ...headers, 'user-agent': agent }, body }
  const { language } = await diagnose(request, SECRET, CLOCK)
  expect(language).toBeUndefined()
})

it.each(['abc,0', 'abc,1', 'abc,0,0'])('another nonce is found although the header is %s', async (nonce) => {
  const { headers, body } = signedRequest({ nonce, signature: signatureOf(TIMESTAMP, 'abc', 'a body', SECRET) })
  const request = { webhookId: '42', headers: { ...headers, 'x-request-id': 'abc' }, body }
  expect((await diagnose(request, SECRET, CLOCK)).findings).toMatchObject([{ code: 'message_nonce' }])
})
