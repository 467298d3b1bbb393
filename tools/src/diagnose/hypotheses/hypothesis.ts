import type { Header } from '../../capture/headers.js'
import type { Primitives } from '../../primitives.js'
import type { FindingCode, Side } from '../finding.js'
import type { FixId } from '../fixes.js'
import type { JsonStyle } from '../json/write.js'
import type { Steps } from '../steps.js'

/**
 * How often senders make a mistake. The search tries likely mistakes, and likely pairs of mistakes, first. `expected` marks a value that
 * the request itself shows, so this value is not a mistake. `last` marks a mistake that has too many values to be tried earlier.
 */
export type Likelihood = 'expected' | 'common' | 'uncommon' | 'rare' | 'last'

/** The parts of the request that a hypothesis reads, but does not change. */
export interface RequestContext {
  /** All headers, with their names in lowercase. */
  readonly headers: readonly Header[]
  /** The body as received. */
  readonly body: Uint8Array
  readonly primitives: Primitives
  /** Counts bytes that are read or written, but not hashed. Throws, and so ends the search, when the budget is used up. */
  spend(bytes: number): void
}

/** The result of a hypothesis: what was signed, or `undefined` if the mistake is not possible. */
export type Applied<Output> = Output | Variants<Output> | undefined

/** One of several values that a hypothesis proposes. `detail` says how this value differs from the other values. */
export interface Variant<Output> {
  readonly detail: string
  readonly value: Output
}

/** The values of a hypothesis that proposes several values. */
export interface Variants<Output> {
  readonly variants: readonly Variant<Output>[]
}

/** One mistake that a sender, or something between sender and receiver, may have made. */
export interface Hypothesis<Input, Output> {
  readonly likelihood: Likelihood
  readonly code: FindingCode
  readonly fix: FixId
  /** Which side must act, if the fix names both sides. */
  readonly side?: Side
  /** The text that was signed instead, as a phrase. `<detail>` is the detail of a variant. */
  readonly what: string
  /** How the JSON was written, if the sender wrote it in another style. */
  readonly style?: JsonStyle
  /** Computes the signed value from the received value. If this can take long for a large body, the work is done in steps. */
  apply(input: Input, context: RequestContext): Applied<Output> | Steps<Applied<Output>>
}

/** Returns a function that makes the hypotheses of one kind of mistake. */
export const hypothesesOf =
  <Input, Output>(kind: Pick<Hypothesis<Input, Output>, 'code' | 'fix' | 'side'>) =>
  (likelihood: Likelihood, what: string, apply: Hypothesis<Input, Output>['apply']) => ({
    ...kind,
    likelihood,
    what,
    apply,
  })

/** Text or bytes. Text is encoded as UTF-8. */
export type Bytes = string | Uint8Array
