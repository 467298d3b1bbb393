import type { HeaderValues } from '../rules/headers.js'
import { isNonce, MAX_NONCE_LENGTH } from '../rules/nonce.js'
import { isTimestamp } from '../rules/timestamp.js'
import { areEqual, fromUtf8, hex, latin1, utf8 } from './bytes.js'
import { instantOf, scaleOf } from './checks/instant.js'
import { type Reading, readSignature } from './checks/signature.js'
import type { RequestToDiagnose } from './engine.js'
import { BODY_CHANGES, BODY_ENDINGS, BODY_SOURCES, originalHypotheses } from './hypotheses/body.js'
import { ALGORITHMS, DIGEST_HYPOTHESES, type DigestHypothesis, HMAC } from './hypotheses/digest.js'
import type { Bytes, HashAlgorithm, Hypothesis, RequestContext } from './hypotheses/hypothesis.js'
import { JSON_HYPOTHESES } from './hypotheses/json.js'
import { CORRECT_LAYOUT, LAYOUT_HYPOTHESES, type Layout } from './hypotheses/layout.js'
import { NONCE_HYPOTHESES } from './hypotheses/nonce.js'
import { SECRET_HYPOTHESES } from './hypotheses/secret.js'
import { TIMESTAMP_HYPOTHESES } from './hypotheses/timestamp.js'
import type { JsonStyle } from './json/write.js'
import { type Choice, type Dimension, search } from './search.js'

// The dimensions of the search: everything that a sender may have done in another way.

/** One departure from the rules. */
export interface Mistake extends Pick<Hypothesis<never, unknown>, 'code' | 'fix' | 'side' | 'what'> {
  /** How JSON was written, if it was. */
  readonly style?: JsonStyle
  readonly part: 'layout' | 'timestamp' | 'nonce' | 'body' | 'json' | 'digest' | 'secret'
  /** The body before this change. */
  readonly input?: Uint8Array
}

/** How a message may have been signed. */
export interface Way {
  readonly layout: Layout
  readonly timestamp: string
  readonly nonce: string
  readonly body: Uint8Array
  readonly algorithm: HashAlgorithm
  readonly digest: DigestHypothesis
  readonly secret: Uint8Array
  readonly mistakes: readonly Mistake[]
}

/** A way that gives the received signature, and how that was read. */
export type FoundWay = Way & { readonly reading: Reading }

type WayChoice = Choice<Way>

/** The cost of a byte that a hypothesis reads or writes, compared with a byte that is hashed. */
const BYTES_PER_REWRITTEN = 5

/** Longer headers are not rewritten. In characters. */
const MAX_HEADER = 1024

/** The most bytes of rewritten bodies that are kept for later combinations. */
const MAX_KEPT = 2 ** 25

/** Finds the likeliest way of signing that gives the received signature. */
export function findWay(
  { timestamp = '', nonce = '', signature = '' }: HeaderValues,
  { body, original, secrets, now }: RequestToDiagnose,
  context: RequestContext,
  isLarge: boolean,
): FoundWay | undefined {
  const readings = readSignature(signature)
  if (readings.length === 0) return undefined
  // A header that breaks a rule has its own finding. If the right value was signed, that is not another mistake.
  const instant = instantOf(timestamp, now)
  const isOtherTime =
    instant !== undefined && (!isTimestamp(timestamp) || scaleOf(Number(timestamp), now) !== undefined)
  const timestamps = isOtherTime ? [timestamp, String(Math.floor(instant / 1000))] : [timestamp]
  const meantNonces = [fromUtf8(latin1(nonce)), nonce.trim(), nonce.slice(0, MAX_NONCE_LENGTH)]
  const nonces = isNonce(nonce) ? [nonce] : [nonce, ...meantNonces]

  // The dimensions, in the order in which they build on each other.
  const rewrite = bodyChoices(body, context)
  const dimensions: Dimension<Way>[] = [
    () => valueChoices('layout', LAYOUT_HYPOTHESES, [CORRECT_LAYOUT], [CORRECT_LAYOUT], context),
    () => valueChoices('timestamp', TIMESTAMP_HYPOTHESES, instant === undefined ? [] : [instant], timestamps, context),
    () => valueChoices('nonce', NONCE_HYPOTHESES, [nonce], nonces, context),
    () => rewrite('body', [...(original === undefined ? [] : originalHypotheses(original)), ...BODY_SOURCES]),
    () => rewrite('json', JSON_HYPOTHESES),
    () => rewrite('body', BODY_CHANGES),
    () => rewrite('body', BODY_ENDINGS),
    () => digestChoices(readings),
    () => valueChoices('secret', SECRET_HYPOTHESES, secrets, secrets, context),
  ]
  // Rare mistakes are too many for the few hashes of a large body.
  const usual = dimensions.map((make) => () => make().filter(({ likelihood }) => likelihood !== 'rare'))
  const start: Way = {
    layout: CORRECT_LAYOUT,
    timestamp,
    nonce,
    body,
    algorithm: 'sha256',
    digest: HMAC,
    secret: utf8(secrets[0] as string),
    mistakes: [],
  }
  return search(isLarge ? usual : dimensions, start, (way) => {
    const digest = way.digest.apply({ algorithm: way.algorithm, key: way.secret, message: messageOf(way) }, context)
    if (!(digest instanceof Uint8Array)) return undefined
    const digits = hex(digest)
    const reading = readings.find(({ lengths, matches }) => lengths.includes(digest.length) && matches(digits))
    return reading && { ...way, reading }
  })
}

/** The message in parts: before the body, the body, and after it. */
export function messageOf(way: Pick<Way, 'layout' | 'timestamp' | 'nonce' | 'body'>): readonly Uint8Array[] {
  const { layout, timestamp, nonce, body } = way
  const place = layout.indexOf('<body>')
  const text = (parts: Layout) =>
    parts.map((part) => (part === '<timestamp>' ? timestamp : part === '<nonce>' ? nonce : part)).join('')
  if (place === -1) return [utf8(text(layout))]
  return [utf8(text(layout.slice(0, place))), body, utf8(text(layout.slice(place + 1)))]
}

const toBytes = (value: Bytes) => (typeof value === 'string' ? utf8(value) : value)

/** The way with another part, and the mistake that leads to it, if it is one. */
const changed = (way: Way, part: Partial<Way>, mistake: Mistake | undefined): Way => ({
  ...way,
  ...part,
  mistakes: mistake === undefined ? way.mistakes : [...way.mistakes, mistake],
})

/** The values that a row proposes, each with its mistake. */
function propose<Input, Output extends object | string>(
  part: Mistake['part'],
  row: Hypothesis<Input, Output> & Pick<Mistake, 'style'>,
  input: Input,
  context: RequestContext,
): { mistake: Mistake; value: Output }[] {
  const proposed = row.apply(input, context)
  if (proposed === undefined) return []
  const isSeveral = typeof proposed === 'object' && 'variants' in proposed
  const variants = isSeveral ? proposed.variants : [{ detail: '', value: proposed }]
  return variants.map(({ detail, value }) => ({
    mistake: { ...row, part, what: row.what.replace('{}', detail) },
    value,
  }))
}

/**
 * Returns the choices for a part that has few values: the correct value, then the values of the table's rows, each once.
 *
 * @param inputs - the values that the rows of the table change. If there are several, the text of the mistake names the one that was changed.
 */
function valueChoices<Input, Output extends object | string>(
  part: 'layout' | 'timestamp' | 'nonce' | 'secret',
  rows: readonly Hypothesis<Input, Output>[],
  inputs: readonly Input[],
  expected: readonly Output[],
  context: RequestContext,
): WayChoice[] {
  const seen = new Set<string>()
  const choose = (likelihood: WayChoice['likelihood'], output: Output, mistake?: Mistake): WayChoice[] => {
    const value = part === 'secret' ? toBytes(output as Bytes) : output
    // HMAC pads a key with NULs: keys that differ in NULs at their end are the same.
    const name = String(value).replace(/(,0)+$/, '')
    if (seen.has(name)) return []
    seen.add(name)
    const isFirst = seen.size === 1
    return [
      { likelihood, apply: (way) => (isFirst || matters(part, way) ? [changed(way, { [part]: value }, mistake)] : []) },
    ]
  }
  const choices = expected.flatMap((value) => choose('expected', value))
  const tooLong = expected.some((value) => part !== 'secret' && String(value).length > MAX_HEADER)
  const proposed = (tooLong ? [] : rows).flatMap((row) =>
    inputs.flatMap((input, index) => {
      const whose = inputs.length > 1 && row.code !== 'secret_placeholder' ? ` (of secret[${index}])` : ''
      return propose(part, row, input, context).flatMap(({ mistake, value }) =>
        choose(row.likelihood, value, { ...mistake, what: mistake.what + whose }),
      )
    }),
  )
  return [...choices, ...proposed]
}

/** Whether a part makes a difference to what is signed. */
function matters(part: 'layout' | 'timestamp' | 'nonce' | 'secret', { layout, digest }: Way): boolean {
  if (part === 'layout') return true
  return part === 'secret' ? digest.isKeyed : layout.includes(`<${part}>`)
}

function digestChoices(readings: readonly Reading[]): WayChoice[] {
  const lengthsOf = (code: Reading['code']) =>
    readings.filter((one) => one.code === code).flatMap(({ lengths }) => lengths)
  const whole = lengthsOf('signature_format')
  const possible = new Set([...whole, ...lengthsOf('signature_truncated')])
  return ALGORITHMS.filter(({ length }) => possible.has(length)).flatMap(({ algorithm, name, length }) => {
    const isRare = algorithm === 'sha3-256'
    // The length of a whole digest gives the algorithm. A digest that was cut was most likely a SHA-256.
    const isGiven = !isRare && (whole.length === 0 ? algorithm === 'sha256' : whole.includes(length))
    const choose = (likelihood: WayChoice['likelihood'], digest: DigestHypothesis): WayChoice => {
      const mistake: Mistake = { ...digest, part: 'digest', what: digest.what.replace('{}', name) }
      const isRight = digest === HMAC && algorithm === 'sha256'
      return { likelihood, apply: (way) => [changed(way, { algorithm, digest }, isRight ? undefined : mistake)] }
    }
    return [
      choose(isGiven ? 'expected' : isRare ? 'rare' : 'uncommon', HMAC),
      ...DIGEST_HYPOTHESES.map((row) => choose(isGiven ? row.likelihood : 'rare', row)),
    ]
  })
}

/** A body that was signed instead, and why. */
type Rewritten = { readonly body: Uint8Array; readonly mistake: Mistake }

/** Returns a function that makes the choices of rows that rewrite the body. Each body is rewritten in the same way once. */
function bodyChoices(received: Uint8Array, context: RequestContext) {
  const kept = new WeakMap<Uint8Array, Map<object, readonly Rewritten[]>>()
  let keptBytes = 0

  const rewrite = (part: 'body' | 'json', row: Hypothesis<Uint8Array, Bytes>, input: Uint8Array) => {
    // A text that replaces the body does not depend on other changes of the body.
    if (row.code === 'body_not_signed' && input !== received) return []
    const known = kept.get(input) ?? new Map<object, readonly Rewritten[]>()
    const before = known.get(row)
    if (before !== undefined) return before
    context.spend(BYTES_PER_REWRITTEN * input.length)
    const others = [input, ...[...known.values()].flatMap((all) => all.map(({ body }) => body))]
    const rewritten = propose(part, row, input, context)
      .map(({ mistake, value }) => ({ mistake: { ...mistake, input }, body: toBytes(value) }))
      .filter(({ body }) => !others.some((other) => areEqual(body, other)))
    const length = rewritten.reduce((sum, { body }) => sum + body.length, 0)
    context.spend(BYTES_PER_REWRITTEN * length)
    if (keptBytes < MAX_KEPT) {
      keptBytes += length
      kept.set(input, known.set(row, rewritten))
    }
    return rewritten
  }

  return (part: 'body' | 'json', rows: readonly Hypothesis<Uint8Array, Bytes>[]): WayChoice[] => [
    { likelihood: 'expected', apply: (way) => [way] },
    ...rows.map((row): WayChoice => {
      const apply = (way: Way) =>
        way.layout.includes('<body>')
          ? rewrite(part, row, way.body).map(({ body, mistake }) => changed(way, { body }, mistake))
          : []
      return { likelihood: row.likelihood, apply }
    }),
  ]
}
