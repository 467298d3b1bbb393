import type { HeaderValues } from '../../../src/rules/formats.js'
import { MAX_NONCE_LENGTH } from '../../../src/rules/nonce.js'
import { isTimestamp } from '../../../src/rules/timestamp.js'
import { fromUtf8, latin1, utf8 } from '../bytes.js'
import type { ToolScheme } from '../schemes.js'
import { BODY_CHANGES, BODY_ENDINGS, BODY_SOURCES, originalHypotheses } from './hypotheses/body.js'
import { type Digest, digestHypotheses, RIGHT_DIGEST } from './hypotheses/digest.js'
import type { Bytes, Hypothesis } from './hypotheses/hypothesis.js'
import { JSON_HYPOTHESES } from './hypotheses/json.js'
import { LAYOUT_HYPOTHESES, type Layout } from './hypotheses/layout.js'
import { NONCE_HYPOTHESES } from './hypotheses/nonce.js'
import { SECRET_HYPOTHESES } from './hypotheses/secret.js'
import { TIMESTAMP_HYPOTHESES } from './hypotheses/timestamp.js'
import { instantOf, scaleOf } from './instant.js'
import type { Mask } from './mask-secrets.js'
import { rereadDigits, type SignatureForm } from './signature-form.js'
import { formsOf, TEXT_AS_KEY } from './standard-webhooks.js'

/** One way in which the sender may have made the signature: with this layout, this timestamp, this key and so on. */
export interface SigningVariant {
  readonly layout: Layout
  readonly timestamp: Uint8Array
  readonly nonce: Uint8Array
  readonly body: Uint8Array
  readonly digest: Digest
  readonly key: Uint8Array
  /** What differs from the specification, in the order in which it was applied. */
  readonly changes: readonly Change[]
}

export type Value = Layout | Uint8Array | Digest

/** A hypothesis that was applied to a signing variant. A change has no texts for the user, because a search makes thousands of changes. */
export interface Change {
  readonly hypothesis: Hypothesis<unknown, Bytes | Value>
  readonly dimension: Dimension['name']
  /** The index of the input, because there can be several secrets. */
  readonly index: number
  readonly input: unknown
  readonly detail: string
  readonly output: Value
}

export interface Mistake extends Pick<Hypothesis<never, unknown>, 'code' | 'fix' | 'side' | 'what' | 'style'> {
  readonly dimension: Dimension['name']
  /** The value before the change. */
  readonly input: unknown
}

export interface SignedRequest {
  readonly body: Uint8Array
  /** The body before the client changed it, for example the file of `curl -d @file`. */
  readonly original?: Uint8Array | undefined
  readonly secrets: readonly string[]
  /** The time of arrival, in milliseconds since the Unix epoch. If it is unknown, the time of this diagnosis. */
  readonly now: number
}

/** A signed request, and the facts about its headers that the hypotheses use. */
export interface Facts extends SignedRequest {
  /** The value of the header as received, or an empty string. */
  readonly timestamp: string
  readonly nonce: string
  /** The values that are right to sign. If a header breaks its rule, there are several, for example also the value without spaces. */
  readonly timestamps: readonly Uint8Array[]
  readonly nonces: readonly Uint8Array[]
  readonly keys: readonly Uint8Array[]
  /** The time in X-Timestamp, in milliseconds since the Unix epoch, also if X-Timestamp has a wrong format. */
  readonly instant: number | undefined
  readonly layout: Layout
  readonly isStandard: boolean
  readonly forms: readonly SignatureForm[]
}

/** One part of signing that a sender may do wrongly, such as the layout or the key. */
export interface Dimension<Input = unknown> {
  readonly name: 'layout' | 'timestamp' | 'nonce' | 'body' | 'JSON' | 'algorithm' | 'secret'
  /** The field of a {@link SigningVariant} that the hypotheses change. */
  readonly field: Exclude<keyof SigningVariant, 'changes'>
  hypotheses(facts: Facts): readonly Hypothesis<Input, Bytes | Layout | Digest>[]
  /** Returns the values that conform to the specification. */
  right(facts: Facts, variant: SigningVariant): readonly Value[]
  /** Returns the values that the hypotheses change. */
  inputs(facts: Facts, variant: SigningVariant): readonly Input[]
}

const MAX_HEADER = 1024

const ofHeader = <Input>(text: string, hypotheses: readonly Hypothesis<Input, Bytes>[]) =>
  text.length > MAX_HEADER ? [] : hypotheses

/** Returns a dimension of the body. Its hypotheses start from the body that earlier dimensions may have changed. */
function ofBody(name: 'body' | 'JSON', hypotheses: Dimension<Uint8Array>['hypotheses']): Dimension<Uint8Array> {
  const bodies = (_: Facts, { body }: SigningVariant) => [body]
  return { name, field: 'body', hypotheses, right: bodies, inputs: bodies }
}

/** Returns its argument. TypeScript checks the input type of each dimension here, because the list below has only `unknown`. */
const dimension = <Input>(entry: Dimension<Input>): Dimension => entry

export const DIMENSIONS: readonly Dimension[] = [
  dimension({
    name: 'layout',
    field: 'layout',
    hypotheses: () => LAYOUT_HYPOTHESES,
    right: ({ layout }) => [layout],
    inputs: ({ layout }) => [layout],
  }),
  dimension({
    name: 'timestamp',
    field: 'timestamp',
    hypotheses: ({ timestamp }) => ofHeader(timestamp, TIMESTAMP_HYPOTHESES),
    right: ({ timestamps }) => timestamps,
    inputs: ({ instant }) => (instant === undefined ? [] : [instant]),
  }),
  dimension({
    name: 'nonce',
    field: 'nonce',
    hypotheses: ({ nonce }) => ofHeader(nonce, NONCE_HYPOTHESES),
    right: ({ nonces }) => nonces,
    inputs: ({ nonce }) => [nonce],
  }),
  ofBody('body', ({ original }) => [...(original === undefined ? [] : originalHypotheses(original)), ...BODY_SOURCES]),
  ofBody('JSON', () => JSON_HYPOTHESES),
  ofBody('body', () => BODY_CHANGES),
  ofBody('body', () => BODY_ENDINGS),
  dimension({
    name: 'algorithm',
    field: 'digest',
    hypotheses: ({ forms }) => digestHypotheses(forms),
    right: () => [RIGHT_DIGEST],
    inputs: () => [RIGHT_DIGEST],
  }),
  dimension({
    name: 'secret',
    field: 'key',
    hypotheses: ({ isStandard }) => (isStandard ? [...TEXT_AS_KEY, ...SECRET_HYPOTHESES] : SECRET_HYPOTHESES),
    right: ({ keys }) => keys,
    inputs: ({ secrets }) => secrets,
  }),
]

export function factsOf(
  { timestamp = '', nonce = '', signature = '' }: HeaderValues,
  { body, original, secrets, now }: SignedRequest,
  mask: Mask,
  scheme: ToolScheme,
): Facts {
  // If X-Timestamp is in milliseconds, but the sender signed seconds, only the header is wrong. So seconds are right to sign too.
  const instant = instantOf(timestamp, now)
  const isOtherTime =
    instant !== undefined && (!isTimestamp(timestamp) || scaleOf(Number(timestamp), now) !== undefined)
  const timestamps = [timestamp, ...(isOtherTime ? [String(Math.floor(instant / 1000))] : []), rereadDigits(timestamp)]
  // A mail or a terminal may have wrapped the nonce.
  const otherNonces = [fromUtf8(latin1(nonce)), nonce.replace(/\s+/g, ''), nonce.slice(0, MAX_NONCE_LENGTH)]
  const nonces = scheme.isNonce(nonce) ? [nonce] : [nonce, ...otherNonces]
  const encode = (texts: readonly string[]) => [...new Set(texts)].map(utf8)
  return {
    ...{ body, original, secrets, now, timestamp, nonce, instant },
    timestamps: encode(timestamps),
    nonces: encode(nonces),
    keys: secrets.map(scheme.keyOf),
    layout: scheme.layout,
    isStandard: scheme.isStandard,
    forms: formsOf(signature, mask, scheme),
  }
}
