import { fromBase64, fromHex } from '../../bytes.js'
import { percentDecode, percentEncode } from './body-formats.js'
import { type Bytes, type Hypothesis, type RequestContext, rowsOf, type Variants } from './hypothesis.js'

// Mistakes in the nonce that was signed.

const row = rowsOf<string, Bytes>({ code: 'message_nonce', fix: 'nonce_once' })
const asBytes = rowsOf<string, Bytes>({ code: 'message_nonce', fix: 'nonce_as_text' })
const withoutDashes = (nonce: string) => nonce.replaceAll('-', '')
const withoutBraces = (nonce: string) => /^\{(.+)\}$/s.exec(nonce)?.[1]

export const NONCE_HYPOTHESES: readonly Hypothesis<string, Bytes>[] = [
  row('uncommon', 'the nonce in lowercase', (nonce) => nonce.toLowerCase()),
  row('uncommon', 'the nonce in uppercase', (nonce) => nonce.toUpperCase()),
  row('uncommon', 'the nonce without its dashes', withoutDashes),
  row('uncommon', 'the nonce with the dashes of a UUID', (nonce) =>
    nonce.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
  ),
  row('rare', 'the nonce between braces', (nonce) => `{${nonce}}`),
  row('uncommon', 'an empty nonce', () => ''),
  row('uncommon', '`null` for the nonce', () => 'null'),
  row('uncommon', '`None` for the nonce', () => 'None'),
  row('uncommon', 'the nonce with a line feed (LF) after it', (nonce) => `${nonce}\n`),
  row(
    'uncommon',
    'the nonce without the quotes or brackets around it',
    (nonce) => /^(["'{<(])(.+)["'}>)]$/s.exec(nonce)?.[2],
  ),
  row('rare', 'the nonce without the braces around it, in lowercase', (nonce) => withoutBraces(nonce)?.toLowerCase()),
  asBytes('uncommon', 'the bytes that the hex digits of the nonce stand for', (nonce) => fromHex(withoutDashes(nonce))),
  asBytes('rare', 'the bytes that the base64 of the nonce stands for', fromBase64),
  row('uncommon', 'the nonce percent-encoded', percentEncode),
  row('uncommon', 'the nonce percent-decoded', percentDecode),
  row('uncommon', 'the value of the header <detail> for the nonce', identifiers),
]

/** Returns the values of headers that may identify the request. */
function identifiers(_: string, { headers }: RequestContext): Variants<string> {
  const variants = headers
    .slice(0, 64)
    .filter(
      ([name, value]) => /(id|uuid|nonce|token|key|request|delivery|event|trace)/.test(name) && value.length <= 512,
    )
    .map(([name, value]) => ({ detail: name.slice(0, 64), value }))
  return { variants }
}
