import { fromBase64, fromHex } from '../../bytes.js'
import { percentDecode, percentEncode } from './body-formats.js'
import { type Bytes, type Hypothesis, hypothesesOf, type RequestContext, type Variants } from './hypothesis.js'
import { placeholdersFor } from './placeholders.js'

// Mistakes in the nonce that was signed.

const other = hypothesesOf<string, Bytes>({ code: 'message_nonce', fix: 'nonce_once' })
const asBytes = hypothesesOf<string, Bytes>({ code: 'message_nonce', fix: 'nonce_as_text' })
const unfilled = hypothesesOf<string, Bytes>({ code: 'message_nonce', fix: 'fill_in_value' })
const withoutDashes = (nonce: string) => nonce.replaceAll('-', '')
const withoutBraces = (nonce: string) => /^\{(.+)\}$/s.exec(nonce)?.[1]

export const NONCE_HYPOTHESES: readonly Hypothesis<string, Bytes>[] = [
  other('uncommon', 'the nonce in lowercase', (nonce) => nonce.toLowerCase()),
  other('uncommon', 'the nonce in uppercase', (nonce) => nonce.toUpperCase()),
  other('uncommon', 'the nonce without its dashes', withoutDashes),
  other('uncommon', 'the nonce with the dashes of a UUID', (nonce) =>
    nonce.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
  ),
  other('rare', 'the nonce between braces', (nonce) => `{${nonce}}`),
  other('uncommon', 'an empty nonce', () => ''),
  other('uncommon', '`null` for the nonce', () => 'null'),
  other('uncommon', '`None` for the nonce', () => 'None'),
  other('uncommon', 'the nonce with a line feed (LF) after it', (nonce) => `${nonce}\n`),
  other(
    'uncommon',
    'the nonce without the quotes or brackets around it',
    (nonce) => /^(["'{<(])(.+)["'}>)]$/s.exec(nonce)?.[2],
  ),
  other('rare', 'the nonce without the braces around it, in lowercase', (nonce) => withoutBraces(nonce)?.toLowerCase()),
  asBytes('uncommon', 'the bytes that the hex digits of the nonce stand for', (nonce) => fromHex(withoutDashes(nonce))),
  asBytes('rare', 'the bytes that the base64 of the nonce stands for', fromBase64),
  other('uncommon', 'the nonce percent-encoded', percentEncode),
  other('uncommon', 'the nonce percent-decoded', percentDecode),
  unfilled('last', 'the text `<detail>`, which nothing filled in, for the nonce', () =>
    placeholdersFor('nonce', 'NONCE', '$guid', '$randomUUID', 'uuid', 'UUID', 'guid', 'requestId'),
  ),
  other('uncommon', 'the value of the header <detail> for the nonce', identifiers),
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
