import { type Header, valuesOf } from '../capture/headers.js'
import type { Language } from './finding.js'

/** The words in `User-Agent` that show a language. Programs in other languages can use curl too, so curl is last. */
const CLIENTS: readonly (readonly [Language, RegExp])[] = [
  ['python', /python|aiohttp|httpx|httpie|pycurl/],
  ['php', /php|guzzle|symfony|wordpress|laravel/],
  ['ruby', /ruby|faraday|httparty|rest-client/],
  ['go', /^go-|go-http|go-resty/],
  // After a letter, `.net` is the end of a domain, except in `asp.net`.
  ['csharp', /(?<!\w)\.net|asp\.net|restsharp|csharp|c#/],
  ['perl', /\bperl|\blwp/],
  ['java', /java(?!script)|okhttp|apache-httpclient|jetty|spring|reactornetty/],
  ['node', /\bnode|javascript|axios|undici|\bgot\b|needle|superagent|\bdeno\b|\bbun\b/],
  ['shell', /curl|wget/],
]

/** Returns the language of the sender, or `undefined` if `User-Agent` does not name it. */
export function languageOf(headers: readonly Header[]): Language | undefined {
  const [agent = ''] = valuesOf(headers, 'user-agent')
  const start = agent.slice(0, 256).toLowerCase()
  return CLIENTS.find(([, client]) => client.test(start))?.[0]
}
