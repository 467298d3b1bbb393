import type { HeaderValues } from '../../../src/rules/formats.js'
import { isNonce, MAX_NONCE_LENGTH } from '../../../src/rules/nonce.js'
import { isTimestamp } from '../../../src/rules/timestamp.js'
import { fromUtf8, latin1, utf8 } from '../bytes.js'
import { BODY_CHANGES, BODY_ENDINGS, BODY_SOURCES, originalHypotheses } from './hypotheses/body.js'
import { type Digest, digestHypotheses, RIGHT_DIGEST } from './hypotheses/digest.js'
import type { Bytes, Hypothesis } from './hypotheses/hypothesis.js'
import { JSON_HYPOTHESES } from './hypotheses/json.js'
import { CORRECT_LAYOUT, LAYOUT_HYPOTHESES, type Layout } from './hypotheses/layout.js'
import { NONCE_HYPOTHESES } from './hypotheses/nonce.js'
import { SECRET_HYPOTHESES } from './hypotheses/secret.js'
import { TIMESTAMP_HYPOTHESES } from './hypotheses/timestamp.js'
import { instantOf, scaleOf } from './instant.js'
import { rereadDigits, type SignatureForm, signatureForms } from './signature-form.js'

/** One way in which the sender may have signed the message. */
export interface SigningVariant {
  readonly layout: Layout
  readonly timestamp: Uint8Array
  readonly nonce: Uint8Array
  readonly body: Uint8Array
  readonly digest: Digest
  readonly key: Uint8Array
  /** The changes that lead to this variant, in order. */
  readonly changes: readonly Change[]
}

/** A value of one field of a signing variant. */
export type Value = Layout | Uint8Array | Digest

/** A hypothesis that was applied to a signing variant. The texts are written later, because a search makes thousands of changes. */
export interface Change {
  readonly hypothesis: Hypothesis<unknown, Bytes | Value>
  readonly dimension: Dimension['name']
  /** The index of the input, if there are several inputs. */
  readonly index: number
  readonly input: unknown
  readonly detail: string
  readonly output: Value
}

/** A change with its texts. */
export interface Mistake extends Pick<Hypothesis<never, unknown>, 'code' | 'fix' | 'side' | 'what' | 'style'> {
  readonly dimension: Dimension['name']
  /** The value before the change, and the value after the change. */
  readonly input: unknown
  readonly output: Value
}

/** The known facts about a signed request besides its headers. */
export interface SignedRequest {
  readonly body: Uint8Array
  /** The body as the sender has it. */
  readonly original?: Uint8Array | undefined
  readonly secrets: readonly string[]
  /** When the request arrived, in milliseconds since the Unix epoch. If the time of arrival is unknown, the time of this diagnosis. */
  readonly now: number
}

/** A signed request, with everything that follows from its headers. */
export interface Facts extends SignedRequest {
  /** The headers as received. An absent header is an empty text. */
  readonly timestamp: string
  readonly nonce: string
  /** The right values to sign. There are several values if a header breaks its rule. */
  readonly timestamps: readonly Uint8Array[]
  readonly nonces: readonly Uint8Array[]
  readonly keys: readonly Uint8Array[]
  /** The time that the timestamp means, in milliseconds since the Unix epoch. */
  readonly instant: number | undefined
  /** The possible forms of the digest in X-Signature. */
  readonly forms: readonly SignatureForm[]
}

/** One part of signing that a sender may do wrongly, such as the layout or the key. */
export interface Dimension<Input = unknown> {
  /** The word that messages use for what the hypotheses change. */
  readonly name: 'layout' | 'timestamp' | 'nonce' | 'body' | 'JSON' | 'algorithm' | 'secret'
  /** The field of a {@link SigningVariant} that holds the value of this dimension. */
  readonly field: Exclude<keyof SigningVariant, 'changes'>
  hypotheses(facts: Facts): readonly Hypothesis<Input, Bytes | Layout | Digest>[]
  /** Returns the values that conform to the specification. */
  right(facts: Facts, variant: SigningVariant): readonly Value[]
  /** Returns the values that the hypotheses change. */
  inputs(facts: Facts, variant: SigningVariant): readonly Input[]
}

/** The maximum length of a header that hypotheses change, in characters. */
const MAX_HEADER = 1024

const ofHeader = <Input>(text: string, hypotheses: readonly Hypothesis<Input, Bytes>[]) =>
  text.length > MAX_HEADER ? [] : hypotheses

/** Returns a dimension whose hypotheses change the body that earlier dimensions returned. */
function ofBody(name: 'body' | 'JSON', hypotheses: Dimension<Uint8Array>['hypotheses']): Dimension<Uint8Array> {
  const bodies = (_: Facts, { body }: SigningVariant) => [body]
  return { name, field: 'body', hypotheses, right: bodies, inputs: bodies }
}

/** Returns `entry` unchanged, so that TypeScript checks the types of one dimension. The search itself does not use these types. */
const dimension = <Input>(entry: Dimension<Input>): Dimension => entry

/** All dimensions. Each dimension uses the results of the dimensions before it. */
export const DIMENSIONS: readonly Dimension[] = [
  dimension({
    name: 'layout',
    field: 'layout',
    hypotheses: () => LAYOUT_HYPOTHESES,
    right: () => [CORRECT_LAYOUT],
    inputs: () => [CORRECT_LAYOUT],
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
    hypotheses: () => SECRET_HYPOTHESES,
    right: ({ keys }) => keys,
    inputs: ({ secrets }) => secrets,
  }),
]

/** Returns what the dimensions need of a request and its headers. */
export function factsOf(
  { timestamp = '', nonce = '', signature = '' }: HeaderValues,
  { body, original, secrets, now }: SignedRequest,
): Facts {
  // A header that breaks a rule has its own finding. If the sender signed the right value, the signature has no mistake of its own.
  const instant = instantOf(timestamp, now)
  const isOtherTime =
    instant !== undefined && (!isTimestamp(timestamp) || scaleOf(Number(timestamp), now) !== undefined)
  const timestamps = [timestamp, ...(isOtherTime ? [String(Math.floor(instant / 1000))] : []), rereadDigits(timestamp)]
  // A mail or a terminal may have wrapped the nonce.
  const otherNonces = [fromUtf8(latin1(nonce)), nonce.replace(/\s+/g, ''), nonce.slice(0, MAX_NONCE_LENGTH)]
  const nonces = isNonce(nonce) ? [nonce] : [nonce, ...otherNonces]
  const encode = (texts: readonly string[]) => [...new Set(texts)].map(utf8)
  return {
    ...{ body, original, secrets, now, timestamp, nonce, instant },
    timestamps: encode(timestamps),
    nonces: encode(nonces),
    keys: encode(secrets),
    forms: signatureForms(signature),
  }
}
