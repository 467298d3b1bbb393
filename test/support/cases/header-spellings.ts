import type { RawRequest } from '../raw-client.js'
import { SECRET, signatureOf } from '../request.js'

// Requests whose headers are spelled in an unusual way, as the bytes of a socket have them. The status is the answer of every recipe. The
// contract of an endpoint has other values of headers.

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

const withMore =
  (...more: Header[]): Spell =>
  (values) => [...more, ...plain(values)]

/** The cases to which some platforms have an answer of their own. */
export const MANY_OTHERS = '900 others'
export const WRONG_TYPE = 'a Content-Type of ;;;'

const ROWS: readonly (readonly [what: string, status: number, spell: Spell, change?: (nonce: string) => string])[] = [
  ['names in lowercase', 204, named((name) => name.toLowerCase())],
  ['names in uppercase', 204, named((name) => name.toUpperCase())],
  ['names in mixed case', 204, named((name) => name.replace(/[aeiou]/g, (vowel) => vowel.toUpperCase()))],
  ['spaces and tabs around values', 204, written((value) => ` \t ${value} \t `)],
  ['the reverse order', 204, (values) => plain(values).reverse()],
  [MANY_OTHERS, 204, withMore(...Array.from({ length: 900 }, (_, index): Header => [`a${index}`, '1']))],
  ['__proto__ beside them', 204, withMore(['__proto__', 'x-nonce'])],
  ['names of methods beside them', 204, withMore(['constructor', '1'], ['toString', '1'], ['hasOwnProperty', '1'])],
  [WRONG_TYPE, 204, withMore(['Content-Type', ';;;'])],
  ['the nonce twice, in another case', 401, (values) => [...plain(values), ['x-nonce', values.nonce]]],
  ['a tab in the nonce', 401, plain, (nonce) => nonce.replace('-', '\t')],
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
      const timestamp = String(Math.floor(Date.now() / 1000))
      const id = crypto.randomUUID()
      const nonce = change?.(id) ?? id
      const signature = signatureOf(timestamp, nonce, body, SECRET)
      return { headers: spell({ timestamp, nonce, signature }), body }
    },
  }))
