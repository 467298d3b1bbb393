import { fromHex } from '../../bytes.js'
import { ODD_SPACE } from '../../text.js'
import { ENCODINGS, type EncodingKind, isTriedOn } from '../encodings.js'
import { type Bytes, type Hypothesis, type Likelihood, several } from './hypothesis.js'

// This file lists changes that may happen to each of the four values: the timestamp, the nonce, the body and the secret.

/** What a mistake does to a value, such as add a space. Each value has its own code and fix for each kind. */
type ChangeKind = 'space added' | 'space removed' | 'quotes added' | 'quotes removed' | 'case' | 'decoded' | 'replaced'

interface TextChange {
  readonly kind: ChangeKind
  readonly likelihood: Likelihood
  /** What was signed, for a message. `<value>` is replaced by the name of the value: `the nonce`. */
  readonly what: string
  readonly change: (text: string) => Bytes | undefined
}

const changeOf =
  (kind: ChangeKind) =>
  (likelihood: Likelihood, what: string, change: TextChange['change']): TextChange => {
    return { kind, likelihood, what, change }
  }
const spaceAdded = changeOf('space added')
const quotesAdded = changeOf('quotes added')
const replaced = (likelihood: Likelihood, text: string) =>
  changeOf('replaced')(
    likelihood,
    `${text === '' ? 'nothing' : `the text \`${text}\``} in place of <value>`,
    () => text,
  )

export const TEXT_CHANGES: readonly TextChange[] = [
  spaceAdded('common', '<value> followed by a line feed (LF)', (text) => `${text}\n`),
  spaceAdded('uncommon', '<value> followed by a CRLF (carriage return and line feed)', (text) => `${text}\r\n`),
  spaceAdded('uncommon', '<value> followed by a carriage return (CR)', (text) => `${text}\r`),
  spaceAdded('uncommon', '<value> followed by two line feeds (LF)', (text) => `${text}\n\n`),
  spaceAdded('uncommon', '<value> followed by a space', (text) => `${text} `),
  spaceAdded('uncommon', '<value> preceded by a space', (text) => ` ${text}`),
  spaceAdded('last', '<value> between spaces', (text) => ` ${text} `),
  spaceAdded('uncommon', '<value> preceded by a byte order mark', (text) => `\ufeff${text}`),
  spaceAdded('last', '<value> followed by a zero-width space', (text) => `${text}\u200b`),
  spaceAdded('last', '<value> followed by a no-break space', (text) => `${text}\xa0`),
  spaceAdded('last', '<value> followed by a NUL', (text) => `${text}\0`),
  changeOf('space removed')('uncommon', '<value> without its white space and invisible characters', (text) =>
    text.replace(ODD_SPACE, ''),
  ),

  quotesAdded('uncommon', '<value> in double quotes', (text) => `"${text}"`),
  quotesAdded('uncommon', '<value> in single quotes', (text) => `'${text}'`),
  quotesAdded('last', '<value> in braces', (text) => `{${text}}`),
  changeOf('quotes removed')('uncommon', '<value> without the quotes or brackets around it', (text) =>
    /^(?:b?(["'`])(.+)\1|[{<([](.+)[}>)\]])$/s
      .exec(text)
      ?.slice(2)
      .find((inside) => inside !== undefined),
  ),

  changeOf('case')('uncommon', '<value> in lowercase', (text) => text.toLowerCase()),
  changeOf('case')('uncommon', '<value> in uppercase', (text) => text.toUpperCase()),

  changeOf('decoded')('uncommon', '<value> decoded from the hex of a UUID', (text) =>
    fromHex(text.replaceAll('-', '')),
  ),

  replaced('uncommon', ''),
  replaced('uncommon', 'null'),
  replaced('uncommon', 'None'),
  replaced('uncommon', 'undefined'),
  replaced('last', 'nil'),
  replaced('last', 'NaN'),
  replaced('last', '[object Object]'),
]

type Cause = Pick<Hypothesis<never, never>, 'code' | 'fix' | 'side'>

/** Returns a hypothesis for each change of a value. Kinds without a cause are left out. `likelihood` replaces the one of each change. */
export function changesOf<Input>(
  value: string,
  causes: { readonly [kind in ChangeKind]?: Cause },
  applied: (change: TextChange['change']) => Hypothesis<Input, Bytes>['apply'],
  likelihood?: Likelihood,
): Hypothesis<Input, Bytes>[] {
  return TEXT_CHANGES.flatMap(({ kind, what, change, likelihood: natural }) => {
    const cause = causes[kind]
    if (cause === undefined) return []
    return [
      { ...cause, likelihood: likelihood ?? natural, what: what.replace('<value>', value), apply: applied(change) },
    ]
  })
}

/** Returns a hypothesis for each encoding of a value, and for each encoding from which it can be decoded. */
export function encodingsOf<Input>(
  value: string,
  causes: { readonly [kind in EncodingKind | 'decoded']?: Cause },
  bytesOf: (input: Input) => Uint8Array,
  likelihood?: Likelihood,
): Hypothesis<Input, Bytes>[] {
  return ENCODINGS.flatMap((encoding) => {
    const { kind, name, encode, decode, likelihood: natural } = encoding
    const row = (cause: Cause | undefined, how: string, change: (bytes: Uint8Array) => Iterable<Bytes>) => {
      const apply = (input: Input) => {
        const bytes = bytesOf(input)
        return several(isTriedOn(encoding, bytes.length) ? change(bytes) : [])
      }
      return cause && { ...cause, likelihood: likelihood ?? natural, what: `${value} ${how} ${name}`, apply }
    }
    // The decoders of other kinds only remove quotes, which is a change of its own.
    const decoded = kind === 'encoded' ? causes.decoded : kind === 'escaped' ? causes.escaped : undefined
    const decodeOne = (bytes: Uint8Array) => [decode?.(bytes)].filter((one) => one !== undefined)
    const all = [row(causes[kind], 'in', encode), row(decode && decoded, 'decoded from', decodeOne)]
    return all.filter((one) => one !== undefined)
  })
}
