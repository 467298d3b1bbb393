import { hex, utf8 } from '../bytes.js'
import { DIMENSIONS, type Dimension, type Facts, type Mistake, type Value, type Way } from './dimensions.js'
import { DistinctValues } from './distinct-values.js'
import { RIGHT_DIGEST } from './hypotheses/digest.js'
import type { Bytes, Hypothesis, RequestContext, Variant, Variants } from './hypotheses/hypothesis.js'
import { CORRECT_LAYOUT, type Layout } from './hypotheses/layout.js'
import { type Choice, type Searched, search } from './search.js'
import type { SignatureForm } from './signature-form.js'
import type { Steps } from './steps.js'

/** A way of signing that gives the received signature, and the form in which the signature was written. */
export type FoundWay = Way & { readonly form: SignatureForm }

/** The most bytes of proposed values that are kept for later combinations. */
const MAX_KEPT = 2 ** 25

/**
 * Returns the likeliest way of signing that gives the received signature, if there is one. `notTried` has the names of the
 * dimensions with values that were not tried, because the budget was used up.
 */
export function* findWay(facts: Facts, context: RequestContext, endStep: () => number): Steps<Searched<FoundWay>> {
  const { forms, timestamps, nonces, keys, body } = facts
  if (forms.length === 0) return { found: undefined, notTried: [] }
  const start: Way = {
    layout: CORRECT_LAYOUT,
    timestamp: timestamps[0] as Uint8Array,
    nonce: nonces[0] as Uint8Array,
    body,
    digest: RIGHT_DIGEST,
    key: keys[0] as Uint8Array,
    mistakes: [],
  }
  const groups = DIMENSIONS.map((dimension) => ({
    name: dimension.name,
    choices: () => choicesOf(dimension, facts, context),
  }))
  const test = (way: Way): FoundWay | undefined => {
    const digest = way.digest.make(way.key, messageOf(way), context)
    if (digest === undefined) return undefined
    const digits = hex(digest)
    const form = forms.find(({ lengths, matches }) => lengths.includes(digest.length) && matches(digits))
    return form && { ...way, form }
  }
  return yield* search(groups, start, test, endStep)
}

/** Returns the message in parts, one for each part of the layout. */
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

/** Caches the parts of layouts in UTF-8, because a search makes thousands of messages with one layout. */
const ENCODED = new WeakMap<Layout, readonly Uint8Array[]>()

function encodedParts(layout: Layout): readonly Uint8Array[] {
  const encoded = ENCODED.get(layout) ?? layout.map(utf8)
  ENCODED.set(layout, encoded)
  return encoded
}

/** Returns whether a field of a way of signing changes the digest. */
function matters(field: keyof Way, { layout, digest }: Way): boolean {
  return field === 'key' ? digest.isKeyed : field === 'layout' || field === 'digest' || layout.includes(`<${field}>`)
}

/** Returns the choices of a dimension: its right values, then its hypotheses. No value is proposed twice. */
function choicesOf(
  { name, field, hypotheses, right, inputs }: Dimension,
  facts: Facts,
  context: RequestContext,
): Choice<Way>[] {
  /**
   * The values and mistakes that were proposed for each input. Most dimensions have one input, but the input for a body
   * depends on the rest of the way of signing.
   */
  const kept = new Map<unknown, { values: DistinctValues; mistakes: Map<unknown, readonly Mistake[]> }>()
  let keptBytes = 0

  const propose = (hypothesis: Hypothesis<unknown, Bytes | Value>, way: Way): readonly Mistake[] => {
    const all = inputs(facts, way)
    const known = kept.get(all[0]) ?? { values: new DistinctValues(right(facts, way)), mistakes: new Map() }
    const before = known.mistakes.get(hypothesis)
    if (before !== undefined) return before
    const isKept = keptBytes < MAX_KEPT
    const values = isKept ? known.values : new DistinctValues(right(facts, way))
    const mistakes = all.flatMap((input, index) => {
      context.spend(sizeOf(input))
      const whose = all.length > 1 && hypothesis.code !== 'secret_placeholder' ? ` (of secret[${index}])` : ''
      return variantsOf(hypothesis.apply(input, context)).flatMap(({ detail, value }): Mistake[] => {
        const output = typeof value === 'string' ? utf8(value) : value
        if (!values.add(output)) return []
        const what = hypothesis.what.replace('<detail>', () => detail) + whose
        return [{ ...hypothesis, what, dimension: name, input, output }]
      })
    })
    const size = mistakes.reduce((sum, { output }) => sum + sizeOf(output), 0)
    context.spend(size)
    if (isKept) {
      keptBytes += size
      kept.set(all[0], known)
      known.mistakes.set(hypothesis, mistakes)
    }
    return mistakes
  }

  const withRight = (way: Way) =>
    matters(field, way)
      ? right(facts, way).map((value) => (way[field] === value ? way : { ...way, [field]: value }))
      : [way]
  const withMistakes = (hypothesis: Hypothesis<unknown, Bytes | Value>, way: Way) =>
    matters(field, way)
      ? propose(hypothesis, way).map((mistake) => ({
          ...way,
          [field]: mistake.output,
          mistakes: [...way.mistakes, mistake],
        }))
      : []
  return [
    { likelihood: 'expected', apply: withRight },
    ...hypotheses(facts).map(
      (hypothesis): Choice<Way> => ({
        likelihood: hypothesis.likelihood,
        apply: (way) => withMistakes(hypothesis, way),
      }),
    ),
  ]
}

/** Returns the values that a hypothesis proposed, each with its detail. */
function variantsOf<Output extends object | string>(
  applied: Output | Variants<Output> | undefined,
): readonly Variant<Output>[] {
  if (applied === undefined) return []
  return isSeveral(applied) ? applied.variants : [{ detail: '', value: applied }]
}

const isSeveral = <Output extends object | string>(applied: Output | Variants<Output>): applied is Variants<Output> =>
  typeof applied === 'object' && 'variants' in applied

const sizeOf = (value: unknown) => (value instanceof Uint8Array ? value.length : 0)
