import { expect, it } from 'vitest'
import { languageOf } from '../../src/diagnose/language.js'

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
