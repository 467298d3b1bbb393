import { fromUtf8, utf8 } from '../bytes.js'
import {
  type Change,
  DIMENSIONS,
  type Dimension,
  type Facts,
  type Mistake,
  type SigningVariant,
  type Value,
} from './dimensions.js'
import { DistinctValues } from './distinct-values.js'
import { MAX_TEXT } from './encodings.js'
import { RIGHT_DIGEST } from './hypotheses/digest.js'
import type { Applied, Bytes, Hypothesis, RequestContext, Variant, Variants } from './hypotheses/hypothesis.js'
import type { Mask } from './mask-secrets.js'
import { type Choice, type Limits, type Searched, search, UNCHANGED } from './search.js'
import type { SignatureForm } from './signature-form.js'
import type { Steps } from './steps.js'

/** A signing variant that makes the received signature, and the form in which the header contains this signature. */
export type FoundVariant = SigningVariant & { readonly form: SignatureForm; readonly mistakes: readonly Mistake[] }

export interface SearchContext extends RequestContext, Limits {}

/** The maximum number of bytes in the values that are cached for later combinations. */
const MAX_KEPT = 2 ** 25

export function* findSigningVariant(facts: Facts, context: SearchContext, mask: Mask): Steps<Searched<FoundVariant>> {
  const { forms, layout, timestamps, nonces, keys, body, secrets } = facts
  if (forms.length === 0) return { found: undefined, notTried: [] }
  const [timestamp, nonce, key] = [timestamps[0], nonces[0], keys[0]] as [Uint8Array, Uint8Array, Uint8Array]
  const start: SigningVariant = { layout, timestamp, nonce, body, digest: RIGHT_DIGEST, key, changes: [] }
  const groups = DIMENSIONS.map((dimension) => {
    return { name: dimension.name, choices: choicesOf(dimension, start, facts, context) }
  })
  const test = (variant: SigningVariant): FoundVariant | undefined => {
    const digest = variant.digest.make(variant.key, messageOf(variant), context)
    if (digest === undefined) return undefined
    const form = forms.find(({ lengths, matches }) => lengths.includes(digest.length / 2) && matches(digest))
    if (form === undefined) return undefined
    const differences = form.describe === undefined ? form.differences : [...form.differences, form.describe(digest)]
    return { ...variant, form: { ...form, differences }, mistakes: describe(variant.changes, secrets, mask) }
  }
  const { found, notTried } = yield* search(groups, start, test, context)
  // The hypotheses skip the text of a long body.
  return { found, notTried: body.length > MAX_TEXT ? [...new Set([...notTried, 'body'])] : notTried }
}

export function messageOf(variant: Omit<SigningVariant, 'digest' | 'changes'>): Uint8Array[] {
  const { timestamp, nonce, body, key } = variant
  return variant.layout.map((part) => {
    if (part === '<timestamp>') return timestamp
    if (part === '<nonce>') return nonce
    if (part === '<body>') return body
    if (part === '<secret>') return key
    return utf8(part === '<"body">' ? JSON.stringify(fromUtf8(body)) : part)
  })
}

/** Returns whether a field of a signing variant has an effect. For example, the nonce has no effect if the layout does not contain it. */
function matters(field: keyof SigningVariant, { layout, digest }: SigningVariant): boolean {
  if (field === 'key') return digest.isKeyed
  return (
    field === 'layout' || field === 'digest' || [`<${field}>`, `<"${field}">`].some((part) => layout.includes(part))
  )
}

/** Returns the choices of a dimension: first its right values, then its hypotheses. A value that two hypotheses propose is tried once. */
function choicesOf(
  { name, field, hypotheses, right, inputs }: Dimension,
  start: SigningVariant,
  facts: Facts,
  context: SearchContext,
): Choice<SigningVariant>[] {
  /** Caches what the hypotheses proposed for each input. A dimension of the body gets many inputs: each body that was changed before. */
  const kept = new Map<unknown, { values: DistinctValues; changes: Map<unknown, readonly Change[]> }>()
  let keptBytes = 0

  function* propose(
    hypothesis: Hypothesis<unknown, Bytes | Value>,
    all: readonly unknown[],
    variant: SigningVariant,
  ): Iterable<Change> {
    const isKept = keptBytes < MAX_KEPT
    const known = kept.get(all[0]) ?? { values: new DistinctValues(right(facts, variant)), changes: new Map() }
    if (isKept) kept.set(all[0], known)
    const values = isKept ? known.values : new DistinctValues(right(facts, variant))
    const changes: Change[] = []
    for (const [index, input] of all.entries()) {
      context.spend(sizeOf(input))
      for (const { detail, value } of variantsOf(hypothesis.apply(input, context))) {
        const output = typeof value === 'string' ? utf8(value) : value
        if (!values.add(output)) continue
        context.spend(sizeOf(output))
        const change = { hypothesis, dimension: name, index, input, detail, output }
        if (isKept) {
          changes.push(change)
          keptBytes += sizeOf(output)
        }
        yield change
      }
    }
    if (isKept) known.changes.set(hypothesis, changes)
  }

  function* withChanges(
    hypothesis: Hypothesis<unknown, Bytes | Value>,
    variant: SigningVariant,
  ): Iterable<SigningVariant> {
    if (!matters(field, variant)) return
    const all = inputs(facts, variant)
    for (const change of kept.get(all[0])?.changes.get(hypothesis) ?? propose(hypothesis, all, variant)) {
      yield { ...variant, [field]: change.output, changes: [...variant.changes, change] }
    }
  }
  const withRight = (variant: SigningVariant) =>
    matters(field, variant)
      ? right(facts, variant).map((value): SigningVariant => ({ ...variant, [field]: value }))
      : [variant]
  const values = right(facts, start)
  const isSame = values.length === 1 && values[0] === start[field]
  const others = hypotheses(facts).map((hypothesis): Choice<SigningVariant> => {
    return { likelihood: hypothesis.likelihood, apply: (variant) => withChanges(hypothesis, variant) }
  })
  return [isSame ? UNCHANGED : { likelihood: 'expected', apply: withRight }, ...others]
}

function describe(changes: readonly Change[], secrets: readonly string[], mask: Mask): Mistake[] {
  return changes.map(({ hypothesis, dimension, index, input, detail }) => {
    const isOfOne = dimension === 'secret' && secrets.length > 1 && hypothesis.code !== 'secret_placeholder'
    const whose = isOfOne ? ` (of secret[${index}])` : ''
    return { ...hypothesis, what: hypothesis.what.replace('<detail>', () => mask(detail)) + whose, dimension, input }
  })
}

function variantsOf<Output extends object | string>(applied: Applied<Output>): Iterable<Variant<Output>> {
  if (applied === undefined) return []
  return isSeveral(applied) ? applied.variants : [{ detail: '', value: applied }]
}

const isSeveral = <Output extends object | string>(applied: Output | Variants<Output>): applied is Variants<Output> =>
  typeof applied === 'object' && 'variants' in applied

const sizeOf = (value: unknown) => (value instanceof Uint8Array ? value.length : 0)
