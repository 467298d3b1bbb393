import type { HeaderValues } from '../../rules/headers.js'
import { isNonce, MAX_NONCE_LENGTH } from '../../rules/nonce.js'
import { isTimestamp } from '../../rules/timestamp.js'
import { areEqual, fromUtf8, hex, latin1, utf8 } from '../bytes.js'
import { type Reading, readSignature } from './checks/signature.js'
import { BODY_CHANGES, BODY_ENDINGS, BODY_SOURCES, originalHypotheses } from './hypotheses/body.js'
import { ALGORITHMS, type Digest, digestHypotheses, hmacWith, otherHmac } from './hypotheses/digest.js'
import type { Bytes, Hypothesis, RequestContext, Variant, Variants } from './hypotheses/hypothesis.js'
import { JSON_HYPOTHESES } from './hypotheses/json.js'
import { CORRECT_LAYOUT, LAYOUT_HYPOTHESES, type Layout } from './hypotheses/layout.js'
import { NONCE_HYPOTHESES } from './hypotheses/nonce.js'
import { SECRET_HYPOTHESES } from './hypotheses/secret.js'
import { TIMESTAMP_HYPOTHESES } from './hypotheses/timestamp.js'
import { instantOf, scaleOf } from './instant.js'
import type { JsonStyle } from './json/write.js'
import { type Choice, search } from './search.js'

// The dimensions of the search: everything that a sender may have done in another way.

/** The known facts about a signed request besides its headers. */
export interface SignedRequest {
  readonly body: Uint8Array
  /** The body as the sender has it. */
  readonly original?: Uint8Array | undefined
  readonly secrets: readonly string[]
  /** When it arrived, in milliseconds since the Unix epoch. If that is not known, the time of this diagnosis. */
  readonly now: number
}

/** One departure from the rules. */
export interface Mistake extends Pick<Hypothesis<never, unknown>, 'code' | 'fix' | 'side' | 'what'> {
  /** How the JSON was written, if the sender wrote it in another style. */
  readonly style?: JsonStyle
  readonly part: 'layout' | 'timestamp' | 'nonce' | 'body' | 'json' | 'digest' | 'secret'
  /** The value before this change. */
  readonly input: unknown
}

/** How a message may have been signed. */
export interface Way {
  readonly layout: Layout
  readonly timestamp: Uint8Array
  readonly nonce: Uint8Array
  readonly body: Uint8Array
  readonly digest: Digest
  readonly key: Uint8Array
  readonly mistakes: readonly Mistake[]
}

/** A way of signing that gives the received signature, and the form in which the signature was written. */
export type FoundWay = Way & { readonly reading: Reading }

type Value = Layout | Uint8Array | Digest
type Row<Input, Output> = Omit<Hypothesis<Input, Output>, 'likelihood'> &
  Pick<Choice<Way>, 'likelihood'> &
  Pick<Partial<Mistake>, 'style'>

/** One part of a way of signing: its right values, and the rows that propose others. */
interface Dimension<Input, Output> {
  readonly part: Mistake['part']
  readonly field: Exclude<keyof Way, 'mistakes'>
  readonly rows: readonly Row<Input, Output>[]
  readonly right: (way: Way) => readonly Value[]
  /** The values that the rows change. */
  readonly inputs: (way: Way) => readonly Input[]
}

/** The length in characters above which headers are not rewritten. */
const MAX_HEADER = 1024

/** The most bytes of proposed values that are kept for later combinations. */
const MAX_KEPT = 2 ** 25

/** What each dimension changes, in the order of the dimensions. */
const NAMES = ['layout', 'timestamp', 'nonce', 'body', 'JSON', 'body', 'body', 'algorithm', 'secret']

/** Finds the likeliest way of signing that gives the received signature. */
export function findWay(
  { timestamp = '', nonce = '', signature = '' }: HeaderValues,
  { body, original, secrets, now }: SignedRequest,
  context: RequestContext,
): { found: FoundWay | undefined; notTried: readonly string[] } {
  const readings = readSignature(signature)
  if (readings.length === 0) return { found: undefined, notTried: [] }
  // A header that breaks a rule has its own finding. If the right value was signed, that is not another mistake.
  const instant = instantOf(timestamp, now)
  const isOtherTime =
    instant !== undefined && (!isTimestamp(timestamp) || scaleOf(Number(timestamp), now) !== undefined)
  const timestamps = isOtherTime ? [timestamp, String(Math.floor(instant / 1000))] : [timestamp]
  const meantNonces = [fromUtf8(latin1(nonce)), nonce.trim(), nonce.slice(0, MAX_NONCE_LENGTH)]
  const nonces = isNonce(nonce) ? [nonce] : [nonce, ...meantNonces]
  const values = (texts: readonly string[]) => [...new Set(texts)].map(utf8)
  const [timestampsToSign, noncesToSign, keys] = [values(timestamps), values(nonces), values(secrets)]

  const choices = <Input, Output extends Bytes | Layout | Digest>(
    part: Mistake['part'],
    field: Dimension<Input, Output>['field'],
    rows: readonly Row<Input, Output>[],
    right: readonly Value[],
    inputs: readonly Input[],
  ) => choicesOf(context, { part, field, rows, right: () => right, inputs: () => inputs })
  const ofBody = (part: 'body' | 'json', rows: readonly Row<Uint8Array, Bytes>[]) => () => {
    const bodies = ({ body }: Way) => [body]
    return choicesOf(context, { part, field: 'body', rows, right: bodies, inputs: bodies })
  }
  const short = <R>(text: string, rows: readonly R[]) => (text.length > MAX_HEADER ? [] : rows)
  const instants = instant === undefined ? [] : [instant]
  const right = [RIGHT_DIGEST]

  const start: Way = {
    layout: CORRECT_LAYOUT,
    timestamp: timestampsToSign[0] as Uint8Array,
    nonce: noncesToSign[0] as Uint8Array,
    body,
    digest: RIGHT_DIGEST,
    key: keys[0] as Uint8Array,
    mistakes: [],
  }
  const sources = [...(original === undefined ? [] : originalHypotheses(original)), ...BODY_SOURCES]
  // The dimensions are in the order in which they build on each other.
  const dimensions = [
    () => choices('layout', 'layout', LAYOUT_HYPOTHESES, [CORRECT_LAYOUT], [CORRECT_LAYOUT]),
    () => choices('timestamp', 'timestamp', short(timestamp, TIMESTAMP_HYPOTHESES), timestampsToSign, instants),
    () => choices('nonce', 'nonce', short(nonce, NONCE_HYPOTHESES), noncesToSign, [nonce]),
    ofBody('body', sources),
    ofBody('json', JSON_HYPOTHESES),
    ofBody('body', BODY_CHANGES),
    ofBody('body', BODY_ENDINGS),
    () => choices('digest', 'digest', digestRows(readings), right, right),
    () => choices('secret', 'key', SECRET_HYPOTHESES, keys, secrets),
  ]
  const { found, notTried } = search(dimensions, start, (way) => {
    const digest = way.digest.make(way.key, messageOf(way), context)
    if (digest === undefined) return undefined
    const digits = hex(digest)
    const reading = readings.find(({ lengths, matches }) => lengths.includes(digest.length) && matches(digits))
    return reading && { ...way, reading }
  })
  return { found, notTried: [...new Set(NAMES.filter((_, index) => notTried.has(index)))] }
}

/** The message in parts, one for each part of the layout. */
export function messageOf(way: Pick<Way, 'layout' | 'timestamp' | 'nonce' | 'body'>): Uint8Array[] {
  return encodedParts(way.layout).map((encoded, index) => {
    const part = way.layout[index]
    return part === '<timestamp>'
      ? way.timestamp
      : part === '<nonce>'
        ? way.nonce
        : part === '<body>'
          ? way.body
          : encoded
  })
}

/** The parts of layouts in UTF-8. They are kept, because a search makes thousands of messages with one layout. */
const ENCODED = new WeakMap<Layout, readonly Uint8Array[]>()

function encodedParts(layout: Layout): readonly Uint8Array[] {
  const encoded = ENCODED.get(layout) ?? layout.map(utf8)
  ENCODED.set(layout, encoded)
  return encoded
}

/** Whether a part makes a difference to what is signed. */
function matters(field: keyof Way, { layout, digest }: Way): boolean {
  return field === 'key' ? digest.isKeyed : field === 'layout' || field === 'digest' || layout.includes(`<${field}>`)
}

const RIGHT_DIGEST = hmacWith('sha256')

/**
 * Returns the wrong digests whose length fits X-Signature. The right digest is always tried, because X-Signature may be
 * a part of it or contain it.
 */
function digestRows(readings: readonly Reading[]): Row<Digest, Digest>[] {
  const lengthsOf = (code: Reading['code']) =>
    readings.filter((one) => one.code === code).flatMap(({ lengths }) => lengths)
  const whole = lengthsOf('signature_format')
  const possible = new Set([...whole, ...lengthsOf('signature_truncated')])
  return ALGORITHMS.filter(({ length }) => possible.has(length)).flatMap(({ algorithm, name, length }) => {
    const isRare = algorithm === 'sha3-256'
    // The length of a whole digest shows the algorithm. A digest that was cut was most likely a SHA-256.
    const isGiven = !isRare && (whole.length === 0 ? algorithm === 'sha256' : whole.includes(length))
    const others = digestHypotheses(algorithm, name)
    return [
      ...(algorithm === 'sha256'
        ? []
        : [otherHmac(isGiven ? 'expected' : isRare ? 'rare' : 'uncommon', algorithm, name)]),
      ...(isGiven ? others : others.map((row) => ({ ...row, likelihood: 'rare' as const }))),
    ]
  })
}

/** The choices of a dimension: its right values, and the values that each row proposes. No value is proposed twice. */
function choicesOf<Input, Output extends Bytes | Layout | Digest>(
  context: RequestContext,
  { part, field, rows, right, inputs }: Dimension<Input, Output>,
): Choice<Way>[] {
  type Proposal = { readonly value: Value; readonly mistake: Mistake }
  /**
   * The values that were proposed for each input. Most dimensions have one input, but that of a body depends on the
   * rest of the way of signing.
   */
  const kept = new Map<unknown, { values: Value[]; byRow: Map<unknown, readonly Proposal[]> }>()
  let keptBytes = 0

  const propose = (row: Row<Input, Output>, way: Way): readonly Proposal[] => {
    const all = inputs(way)
    const known = kept.get(all[0]) ?? { values: [...right(way)], byRow: new Map() }
    const before = known.byRow.get(row)
    if (before !== undefined) return before
    const values = [...known.values]
    const proposals = all.flatMap((input, index) => {
      context.spend(sizeOf(input))
      const whose = all.length > 1 && row.code !== 'secret_placeholder' ? ` (of secret[${index}])` : ''
      return variantsOf(row.apply(input, context)).flatMap(({ detail, value: output }): Proposal[] => {
        const value = toValue(output)
        if (values.some((other) => isSame(value, other))) return []
        values.push(value)
        const mistake = { ...row, part, input, what: row.what.replace('<detail>', () => detail) + whose }
        return [{ value, mistake }]
      })
    })
    const size = proposals.reduce((sum, { value }) => sum + sizeOf(value), 0)
    context.spend(size)
    if (keptBytes < MAX_KEPT) {
      keptBytes += size
      known.values = values
      kept.set(all[0], known)
      known.byRow.set(row, proposals)
    }
    return proposals
  }

  const put = (way: Way, value: Value): Way => (way[field] === value ? way : { ...way, [field]: value })
  const propositions = rows.map((row): Choice<Way> => {
    const changed = (way: Way) =>
      propose(row, way).map(({ value, mistake }) => ({
        ...way,
        [field]: value,
        mistakes: [...way.mistakes, mistake],
      }))
    return { likelihood: row.likelihood, apply: (way) => (matters(field, way) ? changed(way) : []) }
  })
  const rightOnes = (way: Way) => (matters(field, way) ? right(way).map((value) => put(way, value)) : [way])
  return [{ likelihood: 'expected', apply: rightOnes }, ...propositions]
}

const toValue = (output: Bytes | Layout | Digest): Value => (typeof output === 'string' ? utf8(output) : output)

/** The values that a row returned, each with its detail. */
function variantsOf<Output extends object | string>(
  applied: Output | Variants<Output> | undefined,
): readonly Variant<Output>[] {
  if (applied === undefined) return []
  return isSeveral(applied) ? applied.variants : [{ detail: '', value: applied }]
}

const isSeveral = <Output extends object | string>(applied: Output | Variants<Output>): applied is Variants<Output> =>
  typeof applied === 'object' && 'variants' in applied

const sizeOf = (value: unknown) => (value instanceof Uint8Array ? value.length : 0)

const isSame = (one: unknown, other: unknown) =>
  one === other || (one instanceof Uint8Array && other instanceof Uint8Array && areEqual(one, other))
