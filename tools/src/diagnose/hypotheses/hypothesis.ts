import type { Header } from '../../capture/headers.js'
import type { Primitives } from '../../primitives.js'
import type { FindingCode, Side } from '../finding.js'
import type { FixId } from '../fixes.js'
import type { JsonStyle } from '../json/write.js'

/**
 * How often senders make a mistake. The search tries likely mistakes first. `expected` means that the request itself shows this value, so
 * it is tried even before mistakes. `last` means that a mistake is tried after all other single mistakes. `many` means that it has more than
 * 50 possible values, so it is tried after all pairs.
 */
export type Likelihood = 'expected' | 'common' | 'uncommon' | 'rare' | 'last' | 'many'

export interface RequestContext {
  readonly headers: readonly Header[]
  readonly body: Uint8Array
  readonly primitives: Primitives
  /** Counts bytes that are read or written. Throws if they exceed the budget of the search. */
  spend(bytes: number): void
}

/** The result of a hypothesis: the value that was signed, or `undefined` if the sender cannot have made this mistake. */
export type Applied<Output> = Output | Variants<Output> | undefined

/** One of several values that a hypothesis proposes. `detail` is its name in the message. */
export interface Variant<Output> {
  readonly detail: string
  readonly value: Output
}

/** The result of a hypothesis that proposes several values. A value is tried before the next one is made. */
export interface Variants<Output> {
  readonly variants: Iterable<Variant<Output>>
}

/** One mistake that may explain a wrong signature: the sender signed a value that differs from the received value. */
export interface Hypothesis<Input, Output> {
  readonly likelihood: Likelihood
  readonly code: FindingCode
  readonly fix: FixId
  /** Which side must act, if the mistake shows this. */
  readonly side?: Side
  /** What was signed instead, for a message: `the nonce without its hyphens`. `<detail>` is replaced by the detail of a variant. */
  readonly what: string
  /** The style of the signed JSON, if the mistake is that the sender wrote the JSON twice. */
  readonly style?: JsonStyle
  /** Returns the signed value for a received value. */
  apply(input: Input, context: RequestContext): Applied<Output>
}

/** Returns a function that makes hypotheses with the same code, fix and side. */
export const hypothesesOf =
  <Input, Output>(kind: Pick<Hypothesis<Input, Output>, 'code' | 'fix' | 'side'>) =>
  (likelihood: Likelihood, what: string, apply: Hypothesis<Input, Output>['apply']) => {
    return { ...kind, likelihood, what, apply }
  }

export type Bytes = string | Uint8Array

/** Returns values that need no detail in the message. */
export function several(values: Iterable<Bytes>): Variants<Bytes> {
  return { variants: named(values) }
}

function* named(values: Iterable<Bytes>): Iterable<Variant<Bytes>> {
  for (const value of values) yield { detail: '', value }
}
