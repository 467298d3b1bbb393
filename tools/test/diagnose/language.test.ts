import { expect, it } from 'vitest'
import { NONCE, NOW, SECRET, signatureOf, signedRequest, TIMESTAMP } from '../../../test/support/request.js'
import { diagnose } from '../../src/diagnose/index.js'
import { languageOf } from '../../src/diagnose/language.js'

const CLOCK = { now: () => NOW }

it.each([
  ['python', 'python-requests/2.32.3 aiohttp httpx HTTPie/3 PycURL/7'],
  ['php', 'PHP/8.2 GuzzleHttp/7 Symfony WordPress/6.5 Laravel'],
  ['ruby', 'Ruby faraday HTTParty rest-client/2.1'],
  ['go', 'Go-http-client/1.1 github.com/go-http go-resty/2.1'],
  ['csharp', '.NET (.NET) ASP.NET RestSharp/110.2.0.0 csharp C#'],
  ['perl', 'Perl libwww-perl/6.67 LWP::Simple'],
  ['java', 'Java-http-client/17 okhttp/4.12.0 Apache-HttpClient/5 Jetty/11 Spring ReactorNetty/1.1'],
  [
    'node',
    'node axios/1.7.2 undici got (https://github.com/sindresorhus/got) Needle superagent Deno/1.4 Bun/1.1 JavaScript',
  ],
  ['shell', 'curl/8.5.0 Wget/1.21'],
  [undefined, 'Mozilla/5.0 gotham (Ubuntu) https://example.net lua-resty-http/0.17 Hyperledger denote'],
])('User-Agent names %s: each of %s', (language, agents) => {
  for (const agent of agents.split(' ')) expect(languageOf([['user-agent', agent]]), agent).toBe(language)
})

it('the language of User-Agent has the first line', async () => {
  const { headers, body } = signedRequest({ signature: signatureOf(TIMESTAMP, NONCE, 'a body\n', SECRET) })
  const request = { webhookId: '42', headers: { ...headers, 'user-agent': 'libwww-perl/6.67' }, body }
  const { language, findings } = await diagnose(request, SECRET, CLOCK)
  expect([language, Object.keys(findings[0]?.fixes ?? {})[0]]).toEqual(['perl', 'perl'])
})

it.each(['abc,0', 'abc,1', 'abc,0,0'])('another nonce is found although the header is %s', async (nonce) => {
  const { headers, body } = signedRequest({ nonce, signature: signatureOf(TIMESTAMP, 'abc', 'a body', SECRET) })
  const request = { webhookId: '42', headers: { ...headers, 'x-request-id': 'abc' }, body }
  expect((await diagnose(request, SECRET, CLOCK)).findings).toMatchObject([{ code: 'message_nonce' }])
})
