import { areEqual, fromLatin1, fromUtf8, hex, isUtf8, latin1, utf8 } from './bytes.js'
import type { Reading } from './checks/signature.js'
import type { FindingCode } from './finding.js'
import type { FixId } from './fixes.js'
import { BODY_CHANGES, BODY_ENDINGS, BODY_SOURCES } from './hypotheses/body.js'
import { ALGORITHMS, DIGEST_HYPOTHESES, type DigestHypothesis, hmacOf } from './hypotheses/digest.js'
import type { Bytes, Context, Hypothesis, Likelihood, Variant } from './hypotheses/hypothesis.js'
import { COMBINED_TRAITS, JSON_WRITERS } from './hypotheses/json.js'
import { CORRECT_LAYOUT, LAYOUT_HYPOTHESES, type Layout } from './hypotheses/layout.js'
import { NONCE_HYPOTHESES } from './hypotheses/nonce.js'
import { SECRET_HYPOTHESES } from './hypotheses/secret.js'
import { type SentTimestamp, TIMESTAMP_HYPOTHESES } from './hypotheses/timestamp.js'
import { type JsonText, parseJson } from './json/parse.js'
import { type JsonStyle, writeJson } from './json/write.js'
import type { HashAlgorithm } from './primitives.js'
import type { Budget, Choice, Dimension } from './search.js'

// The dimensions of the search: everything that a sender may have done in another way.

/** One departure from the rules. */
export interface Mistake {
  readonly part: 'layout' | 'timestamp' | 'nonce' | 'body' | 'json' | 'digest' | 'secret'
  readonly code: FindingCode
  readonly fix: FixId
  readonly what: string
  /** How the JSON was written. */
  readonly json?: { readonly text: JsonText; readonly style: JsonStyle; readonly signed: string }
}

/** How a message may have been signed. */
export interface Way {
  readonly layout: Layout
  readonly timestamp: string
  readonly nonce: string
  readonly body: Uint8Array
  readonly algorithm: HashAlgorithm
  readonly digest: Pick<DigestHypothesis, 'apply' | 'isKeyed'>
  readonly key: Uint8Array
}

/** What was received, with the headers as they were meant. */
export interface Received {
  readonly sentTimestamp: SentTimestamp
  /** The value of X-Timestamp, then what it was meant to be where it breaks a rule. */
  readonly timestamps: readonly string[]
  /** The same for X-Nonce. */
  readonly nonces: readonly string[]
  readonly body: Uint8Array
  readonly secrets: readonly string[]
  readonly readings: readonly Reading[]
}

type WayChoice = Choice<Way, Mistake>

/** What a byte costs that a hypothesis rewrites, compared with a byte that is hashed. */
const BYTES_PER_REWRITTEN = 8

/** Headers above this many characters are not rewritten. */
const MAX_HEADER = 1024

/** The most bytes of rewritten bodies that are kept for later combinations. */
const MAX_KEPT = 2 ** 25

/** How the rules ask for a request to be signed. */
export function correctWay({ timestamps, nonces, body, secrets }: Received): Way {
  const [timestamp = '', nonce = '', secret = ''] = [timestamps[0], nonces[0], secrets[0]]
  return { layout: CORRECT_LAYOUT, timestamp, nonce, body, algorithm: 'sha256', digest: HMAC, key: utf8(secret) }
}

const HMAC: Way['digest'] = { apply: hmacOf, isKeyed: true }

/** Signs in one way, and reads the signature received as the result if it fits. */
export function testWay(
  { readings }: Received,
  context: Context,
): (way: Way) => (Way & { reading: Reading }) | undefined {
  return (way) => {
    const digest = way.digest.apply({ algorithm: way.algorithm, key: way.key, message: messageOf(way) }, context)
    if (!(digest instanceof Uint8Array)) return undefined
    const digits = hex(digest)
    const reading = readings.find(({ lengths, matches }) => lengths.includes(digest.length) && matches(digits))
    return reading && { ...way, reading }
  }
}

/** The message in three parts: before the body, the body, and after it. */
export function messageOf({
  layout,
  timestamp,
  nonce,
  body,
}: Pick<Way, 'layout' | 'timestamp' | 'nonce' | 'body'>): readonly [Uint8Array, Uint8Array, Uint8Array] {
  const place = layout.indexOf('<body>')
  const text = (parts: Layout) =>
    parts.map((part) => (part === '<timestamp>' ? timestamp : part === '<nonce>' ? nonce : part)).join('')
  if (place === -1) return [utf8(text(layout)), new Uint8Array(), new Uint8Array()]
  return [utf8(text(layout.slice(0, place))), body, utf8(text(layout.slice(place + 1)))]
}

/** The dimensions, in the order in which they build on each other. */
export function dimensionsOf(
  received: Received,
  context: Context,
  budget: Budget,
  isLarge: boolean,
): Dimension<Way, Mistake>[] {
  const rewriter = new Rewriter(received.body, context, budget)
  const { timestamps, nonces, readings } = received
  const dimensions: Dimension<Way, Mistake>[] = [
    () => layouts(context),
    () => headerChoices('timestamp', TIMESTAMP_HYPOTHESES, received.sentTimestamp, timestamps, context),
    () => headerChoices('nonce', NONCE_HYPOTHESES, String(nonces[0]), nonces, context),
    () => rewriter.rows(BODY_SOURCES),
    () => rewriter.jsonStyles(),
    () => rewriter.rows(BODY_CHANGES),
    () => rewriter.rows(BODY_ENDINGS),
    () => digests(readings),
    () => secrets(received, context),
  ]
  // Rare mistakes are too many for the few hashes of a large body.
  return isLarge ? dimensions.map((make) => () => make().filter(({ likelihood }) => likelihood !== 'rare')) : dimensions
}

/** What the rules ask for. */
const EXPECTED: WayChoice = { likelihood: 'expected', apply: (state) => [{ state }] }

/** The values that a row proposes, each with its mistake. */
function propose<Input, Output extends object | string>(
  part: Mistake['part'],
  { code, fix, what, apply }: Hypothesis<Input, Output>,
  input: Input,
  context: Context,
): { mistake: Mistake; value: Output }[] {
  const proposed = apply(input, context)
  if (proposed === undefined) return []
  const isSeveral = typeof proposed === 'object' && 'variants' in proposed
  const variants: readonly Variant<Output>[] = isSeveral ? proposed.variants : [{ detail: '', value: proposed }]
  return variants.map(({ detail, value }) => ({
    mistake: { part, code, fix, what: what.replace('{}', detail) },
    value,
  }))
}

function layouts(context: Context): WayChoice[] {
  const choices = LAYOUT_HYPOTHESES.map((row): WayChoice => {
    const proposed = propose('layout', row, CORRECT_LAYOUT, context)
    return {
      likelihood: row.likelihood,
      apply: (way) => proposed.map(({ mistake, value }) => ({ state: { ...way, layout: value }, mistake })),
    }
  })
  return [EXPECTED, ...choices]
}

/** Other values of one part of a way: each value once, under its likeliest name. */
function valueChoices<Value>(
  start: readonly Value[],
  others: readonly { readonly likelihood: Likelihood; readonly mistake: Mistake; readonly value: Value }[],
  nameOf: (value: Value) => string,
  set: (way: Way, value: Value, isFirst: boolean) => Way | undefined,
): WayChoice[] {
  const seen = new Set<string>()
  const choose = (likelihood: WayChoice['likelihood'], value: Value, mistake?: Mistake): WayChoice[] => {
    if (seen.has(nameOf(value))) return []
    seen.add(nameOf(value))
    const isFirst = seen.size === 1
    const apply = (way: Way) => {
      const state = set(way, value, isFirst)
      return state === undefined ? [] : [{ state, mistake }]
    }
    return [{ likelihood, apply }]
  }
  const byLikelihood = (wanted: Likelihood) => others.filter(({ likelihood }) => likelihood === wanted)
  return [
    ...start.flatMap((value) => choose('expected', value)),
    ...[...byLikelihood('common'), ...byLikelihood('uncommon'), ...byLikelihood('rare')].flatMap(
      ({ likelihood, value, mistake }) => choose(likelihood, value, mistake),
    ),
  ]
}

/** What may have been signed for the value of a header. It makes a difference only where the layout has the value. */
function headerChoices<Input>(
  part: 'timestamp' | 'nonce',
  rows: readonly Hypothesis<Input, string>[],
  input: Input,
  values: readonly string[],
  context: Context,
): WayChoice[] {
  const proposed = rows.flatMap((row) =>
    propose(part, row, input, context).map((one) => ({ ...one, likelihood: row.likelihood })),
  )
  return valueChoices(
    values,
    values.some(({ length }) => length > MAX_HEADER) ? [] : proposed,
    (value) => value,
    (way, value, isFirst) => (isFirst || way.layout.includes(`<${part}>`) ? { ...way, [part]: value } : undefined),
  )
}

function digests(readings: readonly Reading[]): WayChoice[] {
  const lengthsOf = (code: Reading['code']) =>
    readings.filter((one) => one.code === code).flatMap(({ lengths }) => lengths)
  const whole = lengthsOf('signature_format')
  const possible = new Set([...whole, ...lengthsOf('signature_truncated')])
  return ALGORITHMS.filter(({ length }) => possible.has(length)).flatMap(
    ({ algorithm, name, length, isRare }): WayChoice[] => {
      // The length of a whole digest gives the algorithm. A digest that was cut was most likely a SHA-256.
      const isGiven = !isRare && (whole.length === 0 ? algorithm === 'sha256' : whole.includes(length))
      const choose = (
        likelihood: WayChoice['likelihood'],
        digest: Way['digest'],
        mistake: Mistake | undefined,
      ): WayChoice => ({
        likelihood,
        apply: (way) => [{ state: { ...way, algorithm, digest }, mistake }],
      })
      const mistake = ({ code, fix, what }: Omit<Mistake, 'part'>): Mistake => ({
        part: 'digest',
        code,
        fix,
        what: what.replace('{}', name),
      })
      const otherAlgorithm = mistake({
        code: 'signature_algorithm',
        fix: 'use_hmac_sha256',
        what: 'an HMAC with {} instead of SHA-256',
      })
      return [
        choose(
          isGiven ? 'expected' : isRare ? 'rare' : 'uncommon',
          HMAC,
          algorithm === 'sha256' ? undefined : otherAlgorithm,
        ),
        ...DIGEST_HYPOTHESES.map((row) => choose(isGiven ? row.likelihood : 'rare', row, mistake(row))),
      ]
    },
  )
}

function secrets({ secrets: given }: Received, context: Context): WayChoice[] {
  const rows = SECRET_HYPOTHESES.flatMap((row) =>
    given.flatMap((secret, index) => {
      const whose = given.length > 1 && row.code !== 'secret_placeholder' ? ` (of secret[${index}])` : ''
      return propose('secret', row, secret, context).map(({ mistake, value }) => ({
        likelihood: row.likelihood,
        mistake: { ...mistake, what: mistake.what + whose },
        value: toBytes(value),
      }))
    }),
  )
  return valueChoices(
    given.map(utf8),
    rows,
    // HMAC pads a key with NULs: keys that differ in NULs at their end are the same.
    (key) => fromLatin1(key).replace(/\0+$/, ''),
    (way, key, isFirst) => (isFirst || way.digest.isKeyed ? { ...way, key } : undefined),
  )
}

const toBytes = (value: Bytes) => (typeof value === 'string' ? utf8(value) : value)

/** Rewrites bodies, each in the same way once. */
class Rewriter {
  readonly #received: Uint8Array
  readonly #context: Context
  readonly #budget: Budget
  readonly #kept = new WeakMap<Uint8Array, Map<object, readonly Rewritten[]>>()
  readonly #parsed = new WeakMap<Uint8Array, JsonText | undefined>()
  #keptBytes = 0

  constructor(received: Uint8Array, context: Context, budget: Budget) {
    this.#received = received
    this.#context = context
    this.#budget = budget
  }

  rows(rows: readonly Hypothesis<Uint8Array, Bytes>[]): WayChoice[] {
    return [EXPECTED, ...rows.map((row) => this.#choice(row.likelihood, row, (body) => this.#applied(row, body)))]
  }

  jsonStyles(): WayChoice[] {
    const { spacings, escapes, orders } = COMBINED_TRAITS
    const combined = spacings.flatMap((spacing) =>
      escapes.flatMap((escaping) => orders.map((order): JsonStyle => ({ spacing, escaping, order }))),
    )
    const styles = [...JSON_WRITERS, ...combined.map((style) => ({ likelihood: 'rare' as const, style }))]
    return [
      EXPECTED,
      ...styles.map(({ likelihood, style }) => this.#choice(likelihood, style, (body) => this.#styled(style, body))),
    ]
  }

  #choice(likelihood: Likelihood, key: object, rewrite: (body: Uint8Array) => Rewritten[]): WayChoice {
    return {
      likelihood,
      apply: (way) => {
        if (!way.layout.includes('<body>')) return []
        return this.#once(way.body, key, rewrite).map(({ body, mistake }) => ({ state: { ...way, body }, mistake }))
      },
    }
  }

  #once(body: Uint8Array, key: object, rewrite: (body: Uint8Array) => Rewritten[]): readonly Rewritten[] {
    const known = this.#kept.get(body) ?? new Map<object, readonly Rewritten[]>()
    const kept = known.get(key)
    if (kept !== undefined) return kept
    this.#budget.spend(0, BYTES_PER_REWRITTEN * body.length)
    const others = [body, ...[...known.values()].flatMap((all) => all.map((one) => one.body))]
    const rewritten = rewrite(body).filter((one) => !others.some((other) => areEqual(one.body, other)))
    if (this.#keptBytes < MAX_KEPT) {
      this.#keptBytes += rewritten.reduce((sum, one) => sum + one.body.length, 0)
      this.#kept.set(body, known.set(key, rewritten))
    }
    return rewritten
  }

  #applied(row: Hypothesis<Uint8Array, Bytes>, body: Uint8Array): Rewritten[] {
    // What stands for a body is the same whatever else happened to the body.
    if (row.code === 'body_not_signed' && body !== this.#received) return []
    return propose('body', row, body, this.#context).map(({ mistake, value }) => ({ mistake, body: toBytes(value) }))
  }

  #styled(style: JsonStyle, body: Uint8Array): Rewritten[] {
    if (!this.#parsed.has(body)) this.#parsed.set(body, parseJson(decode(body)))
    const text = this.#parsed.get(body)
    const signed = text && writeJson(text, style)
    if (text === undefined || signed === undefined) return []
    const mistake: Mistake = {
      part: 'json',
      code: 'body_json',
      fix: 'serialize_once',
      what: '',
      json: { text, style, signed },
    }
    return [{ mistake, body: isUtf8(body) ? utf8(signed) : latin1(signed) }]
  }
}

interface Rewritten {
  readonly body: Uint8Array
  readonly mistake: Mistake
}

/** Bytes that are not UTF-8 are read as Latin-1, which loses nothing. */
const decode = (body: Uint8Array) => (isUtf8(body) ? fromUtf8(body) : fromLatin1(body))
