import type { RawRequest } from '../raw-client.js'
import { SECRET, signatureOf } from '../request.js'

// Requests whose headers are spelled in an unusual way, as the bytes of a socket have them. The status is the answer of every recipe.

type Header = RawRequest['headers'][number]

interface Values {
  readonly timestamp: string
  readonly nonce: string
  readonly signature: string
}

/** Returns the header lines of one spelling. */
type Spell = (values: Values) => Header[]

const plain: Spell = ({ timestamp, nonce, signature }) => [
  ['X-Timestamp', timestamp],
  ['X-Nonce', nonce],
  ['X-Signature', signature],
]

const named =
  (rename: (name: string) => string): Spell =>
  (values) =>
    plain(values).map(([name, value]) => [rename(name), value])

const written =
  (write: (value: string) => string): Spell =>
  (values) =>
    plain(values).map(([name, value]) => [name, write(value)])

const twice =
  (wanted: string, rename = (name: string) => name): Spell =>
  (values) =>
    plain(values).flatMap((header): Header[] =>
      header[0] === wanted ? [header, [rename(wanted), header[1]]] : [header],
    )

const withMore =
  (...more: Header[]): Spell =>
  (values) => [...more, ...plain(values)]

/** Changes the values before they are signed. */
type Change = (values: { timestamp: string; nonce: string }) => Partial<Values>

/** UTF-8 as one character per byte, which is how a header is sent. */
const utf8 = (text: string) => Buffer.from(text).toString('latin1')
const digitsFrom = (zero: number) => (text: string) =>
  utf8(text.replace(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit))))

/** The cases to which some platforms have an answer of their own. */
export const MANY_OTHERS = '900 others'
export const WRONG_TYPE = 'a Content-Type of ;;;'

const ROWS: readonly (readonly [what: string, status: number, spell: Spell, change?: Change])[] = [
  ['names in lowercase', 204, named((name) => name.toLowerCase())],
  ['names in uppercase', 204, named((name) => name.toUpperCase())],
  ['names in mixed case', 204, named((name) => name.replace(/[aeiou]/g, (vowel) => vowel.toUpperCase()))],
  ['spaces and tabs around values', 204, written((value) => ` \t ${value} \t `)],
  ['the reverse order', 204, (values) => plain(values).reverse()],
  [MANY_OTHERS, 204, withMore(...Array.from({ length: 900 }, (_, index): Header => [`a${index}`, '1']))],
  ['__proto__ beside them', 204, withMore(['__proto__', 'x-nonce'])],
  ['names of methods beside them', 204, withMore(['constructor', '1'], ['toString', '1'], ['hasOwnProperty', '1'])],
  ['a leading zero in the timestamp', 204, plain, ({ timestamp }) => ({ timestamp: `0${timestamp}` })],
  [WRONG_TYPE, 204, withMore(['Content-Type', ';;;'])],
  ['the timestamp twice', 401, twice('X-Timestamp')],
  ['the nonce twice', 401, twice('X-Nonce')],
  ['the signature twice', 401, twice('X-Signature')],
  ['the nonce twice, in another case', 401, twice('X-Nonce', (name) => name.toLowerCase())],
  ['an empty timestamp', 401, plain, () => ({ timestamp: '' })],
  ['an empty nonce', 401, plain, () => ({ nonce: '' })],
  ['an empty signature', 401, plain, () => ({ signature: '' })],
  ['fullwidth digits', 401, plain, ({ timestamp }) => ({ timestamp: digitsFrom(0xff10)(timestamp) })],
  ['Arabic digits', 401, plain, ({ timestamp }) => ({ timestamp: digitsFrom(0x660)(timestamp) })],
  ['a sign before the timestamp', 401, plain, ({ timestamp }) => ({ timestamp: `+${timestamp}` })],
  ['two timestamps in one value', 401, plain, ({ timestamp }) => ({ timestamp: `${timestamp}, ${timestamp}` })],
  ['a timestamp of 400 digits', 401, plain, () => ({ timestamp: '1'.repeat(400) })],
  ['a nonce of 129 characters', 401, plain, () => ({ nonce: 'n'.repeat(129) })],
  ['a nonce of 8000 characters', 401, plain, () => ({ nonce: 'n'.repeat(8000) })],
  ['a tab in the nonce', 401, plain, ({ nonce }) => ({ nonce: nonce.replace('-', '\t') })],
  ['a nonce outside ASCII', 401, plain, ({ nonce }) => ({ nonce: `\xe9${nonce}` })],
  [
    'the signature in uppercase',
    401,
    ({ signature, ...rest }) => plain({ ...rest, signature: signature.toUpperCase() }),
  ],
  ['a signature of 65 digits', 401, ({ signature, ...rest }) => plain({ ...rest, signature: `${signature}0` })],
  ['names with underscores', 401, named((name) => name.replace('-', '_'))],
  ['__proto__ in place of the nonce', 401, named((name) => (name === 'X-Nonce' ? '__proto__' : name))],
  ['a space before the colon', 400, named((name) => `${name} `)],
  ['a nonce that is folded', 400, ({ nonce, ...rest }) => plain({ ...rest, nonce: nonce.replace('-', '\r\n ') })],
  ['a zero byte in the nonce', 400, ({ nonce, ...rest }) => plain({ ...rest, nonce: nonce.replace('-', '\0') })],
]

/** Each spelling, with the status that answers it and the lines to send. */
export const SPELLINGS: readonly { what: string; status: number; request: (body: Uint8Array) => RawRequest }[] =
  ROWS.map(([what, status, spell, change]) => ({
    what,
    status,
    request(body) {
      const values = { timestamp: String(Math.floor(Date.now() / 1000)), nonce: crypto.randomUUID() }
      const { timestamp, nonce, signature } = { ...values, signature: undefined, ...change?.(values) }
      const signed = signature ?? signatureOf(timestamp, nonce, body, SECRET)
      return { headers: spell({ timestamp, nonce, signature: signed }), body }
    },
  }))
