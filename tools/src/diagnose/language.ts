import { type Header, valuesOf } from '../capture/headers.js'
import type { Language } from './finding.js'

/** The words in `User-Agent` that show a language. Programs in other languages can use curl too, so curl is last. */
const CLIENTS: readonly (readonly [Language, RegExp])[] = [
  ['python', /python|aiohttp|httpx|httpie/],
  ['php', /php|guzzle|symfony|wordpress|laravel/],
  ['ruby', /ruby|faraday|httparty|rest-client/],
  ['go', /^go-|go-http|resty/],
  ['csharp', /\.net|restsharp|csharp|c#/],
  ['perl', /perl|lwp/],
  ['java', /java|okhttp|apache-httpclient|jetty|spring|reactornetty/],
  ['node', /node|axios|undici|\bgot\b|needle|superagent|deno|bun/],
  ['shell', /curl|wget/],
]

/** Returns the language of the sender, or `undefined` if `User-Agent` does not name it. */
export function languageOf(headers: readonly Header[]): Language | undefined {
  const [agent = ''] = valuesOf(headers, 'user-agent')
  const start = agent.slice(0, 256).toLowerCase()
  return CLIENTS.find(([, client]) => client.test(start))?.[0]
}
