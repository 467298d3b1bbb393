import { areEqual, hex, utf8 } from './bytes.js'
import type { Reading } from './checks/signature.js'
import { BODY_CHANGES, BODY_ENDINGS, BODY_SOURCES, originalHypotheses } from './hypotheses/body.js'
import { ALGORITHMS, DIGEST_HYPOTHESES, type DigestHypothesis, hmacOf } from './hypotheses/digest.js'
import type { Bytes, HashAlgorithm, Hypothesis, RequestContext } from './hypotheses/hypothesis.js'
import { JSON_HYPOTHESES } from './hypotheses/json.js'
import { CORRECT_LAYOUT, LAYOUT_HYPOTHESES, type Layout } from './hypotheses/layout.js'
import { NONCE_HYPOTHESES } from './hypotheses/nonce.js'
import { SECRET_HYPOTHESES } from './hypotheses/secret.js'
import { type SentTimestamp, TIMESTAMP_HYPOTHESES } from './hypotheses/timestamp.js'
import type { JsonStyle } from './json/write.js'
import type { Budget, Choice, Dimension } from './search.js'

// The dimensions of the search: everything that a sender may have done in another way.

/** One departure from the rules. */
export interface Mistake extends Pick<Hypothesis<never, unknown>, 'code' | 'fix' | 'what'> {
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
  readonly digest: Pick<DigestHypothesis, 'apply' | 'isKeyed'>
  readonly secret: Uint8Array
}

/** The received request, with the headers as they were meant. */
export interface SearchInput {
  readonly sentTimestamp: SentTimestamp
  /** The value of X-Timestamp. If it breaks a rule, the value that the sender probably meant is next. */
  readonly timestamps: readonly [string, ...string[]]
  /** The values of X-Nonce, in the same way. */
  readonly nonces: readonly [string, ...string[]]
  readonly body: Uint8Array
  /** The body that the sender has, if it is known. */
  readonly original: Uint8Array | undefined
  readonly secrets: readonly string[]
  readonly readings: readonly Reading[]
}

type WayChoice = Choice<Way, Mistake>

/** The cost of a byte that a hypothesis reads or writes, compared with a byte that is hashed. */
const BYTES_PER_REWRITTEN = 5

/** Longer headers are not rewritten. In characters. */
const MAX_HEADER = 1024

/** The most bytes of rewritten bodies that are kept for later combinations. */
const MAX_KEPT = 2 ** 25

/** Returns the correct way to sign a request. */
export function correctWay({ timestamps, nonces, body, secrets }: SearchInput): Way {
  return {
    layout: CORRECT_LAYOUT,
    timestamp: timestamps[0],
    nonce: nonces[0],
    body,
    algorithm: 'sha256',
    digest: HMAC,
    secret: utf8(secrets[0] as string),
  }
}

const HMAC: Way['digest'] = { apply: hmacOf, isKeyed: true }

/** Returns a function that signs in one way. It returns `undefined` if the received signature is not an encoding of that digest. */
export function testWay(
  { readings }: SearchInput,
  context: RequestContext,
): (way: Way) => (Way & { reading: Reading }) | undefined {
  return (way) => {
    const digest = way.digest.apply({ algorithm: way.algorithm, key: way.secret, message: messageOf(way) }, context)
    if (!(digest instanceof Uint8Array)) return undefined
    const digits = hex(digest)
    const reading = readings.find(({ lengths, matches }) => lengths.includes(digest.length) && matches(digits))
    return reading && { ...way, reading }
  }
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

/** The dimensions, in the order in which they build on each other. */
export function dimensionsOf(
  received: SearchInput,
  context: RequestContext,
  budget: Budget,
  isLarge: boolean,
): Dimension<Way, Mistake>[] {
  const rewriter = new Rewriter(received.body, context, budget)
  const { sentTimestamp, timestamps, nonces, original, readings, secrets } = received
  const dimensions: Dimension<Way, Mistake>[] = [
    () => valueChoices('layout', LAYOUT_HYPOTHESES, [CORRECT_LAYOUT], [CORRECT_LAYOUT], context, (layout) => layout),
    () => valueChoices('timestamp', TIMESTAMP_HYPOTHESES, [sentTimestamp], timestamps, context, (value) => value),
    () => valueChoices('nonce', NONCE_HYPOTHESES, nonces.slice(0, 1), nonces, context, (value) => value),
    () => rewriter.choices('body', [...(original === undefined ? [] : originalHypotheses(original)), ...BODY_SOURCES]),
    () => rewriter.choices('json', JSON_HYPOTHESES),
    () => rewriter.choices('body', BODY_CHANGES),
    () => rewriter.choices('body', BODY_ENDINGS),
    () => digestChoices(readings),
    () => valueChoices('secret', SECRET_HYPOTHESES, secrets, secrets.map(utf8), context, toBytes),
  ]
  // Rare mistakes are too many for the few hashes of a large body.
  return isLarge ? dimensions.map((make) => () => make().filter(({ likelihood }) => likelihood !== 'rare')) : dimensions
}

const toBytes = (value: Bytes) => (typeof value === 'string' ? utf8(value) : value)

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
function valueChoices<Input, Output extends object | string, Value>(
  part: 'layout' | 'timestamp' | 'nonce' | 'secret',
  rows: readonly Hypothesis<Input, Output>[],
  inputs: readonly Input[],
  expected: readonly Value[],
  context: RequestContext,
  read: (output: Output) => Value,
): WayChoice[] {
  const seen = new Set<string>()
  const choose = (likelihood: WayChoice['likelihood'], value: Value, mistake?: Mistake): WayChoice[] => {
    // HMAC pads a key with NULs: keys that differ in NULs at their end are the same.
    const name = String(value).replace(/(,0)+$/, '')
    if (seen.has(name)) return []
    seen.add(name)
    const isFirst = seen.size === 1
    const apply = (way: Way) => (isFirst || matters(part, way) ? [{ state: { ...way, [part]: value }, mistake }] : [])
    return [{ likelihood, apply }]
  }
  const tooLong = expected.some((value) => typeof value === 'string' && value.length > MAX_HEADER)
  return [
    ...expected.flatMap((value) => choose('expected', value)),
    ...(tooLong ? [] : rows).flatMap((row) =>
      inputs.flatMap((input, index) =>
        propose(part, row, input, context).flatMap(({ mistake, value }) => {
          const whose = inputs.length > 1 && row.code !== 'secret_placeholder' ? ` (of secret[${index}])` : ''
          return choose(row.likelihood, read(value), { ...mistake, what: mistake.what + whose })
        }),
      ),
    ),
  ]
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
  const algorithms = ALGORITHMS.filter(({ length }) => possible.has(length))
  return algorithms.flatMap(({ algorithm, name, length, isRare, other }): WayChoice[] => {
    // The length of a whole digest gives the algorithm. A digest that was cut was most likely a SHA-256.
    const isGiven = !isRare && (whole.length === 0 ? algorithm === 'sha256' : whole.includes(length))
    const choose = (
      likelihood: WayChoice['likelihood'],
      digest: Way['digest'],
      row?: Omit<Mistake, 'part'>,
    ): WayChoice => {
      const mistake: Mistake | undefined = row && { ...row, part: 'digest', what: row.what.replace('{}', name) }
      return { likelihood, apply: (way) => [{ state: { ...way, algorithm, digest }, mistake }] }
    }
    return [
      choose(isGiven ? 'expected' : isRare ? 'rare' : 'uncommon', HMAC, other),
      ...DIGEST_HYPOTHESES.map((row) => choose(isGiven ? row.likelihood : 'rare', row, row)),
    ]
  })
}

/** A body that was signed instead, and why. */
type Rewritten = { readonly body: Uint8Array; readonly mistake: Mistake }

/** Rewrites bodies, each in the same way once. */
class Rewriter {
  readonly #received: Uint8Array
  readonly #context: RequestContext
  readonly #budget: Budget
  readonly #kept = new WeakMap<Uint8Array, Map<object, readonly Rewritten[]>>()
  #keptBytes = 0

  constructor(received: Uint8Array, context: RequestContext, budget: Budget) {
    this.#received = received
    this.#context = context
    this.#budget = budget
  }

  choices(part: 'body' | 'json', rows: readonly Hypothesis<Uint8Array, Bytes>[]): WayChoice[] {
    const choices = rows.map((row): WayChoice => {
      const apply = (way: Way) => {
        const rewritten = way.layout.includes('<body>') ? this.#rewrite(part, row, way.body) : []
        return rewritten.map(({ body, mistake }) => ({ state: { ...way, body }, mistake }))
      }
      return { likelihood: row.likelihood, apply }
    })
    return [{ likelihood: 'expected', apply: (state) => [{ state }] }, ...choices]
  }

  #rewrite(part: 'body' | 'json', row: Hypothesis<Uint8Array, Bytes>, input: Uint8Array): readonly Rewritten[] {
    // A text that replaces the body does not depend on other changes of the body.
    if (row.code === 'body_not_signed' && input !== this.#received) return []
    const known = this.#kept.get(input) ?? new Map<object, readonly Rewritten[]>()
    const kept = known.get(row)
    if (kept !== undefined) return kept
    this.#budget.spend(0, BYTES_PER_REWRITTEN * input.length)
    const others = [input, ...[...known.values()].flatMap((all) => all.map(({ body }) => body))]
    const rewritten = propose(part, row, input, this.#context)
      .map(({ mistake, value }) => ({ mistake: { ...mistake, input }, body: toBytes(value) }))
      .filter(({ body }) => !others.some((other) => areEqual(body, other)))
    const length = rewritten.reduce((sum, { body }) => sum + body.length, 0)
    this.#budget.spend(0, BYTES_PER_REWRITTEN * length)
    if (this.#keptBytes < MAX_KEPT) {
      this.#keptBytes += length
      this.#kept.set(input, known.set(row, rewritten))
    }
    return rewritten
  }
}
