import type { FindingCode } from './finding.js'

/** A way in which a sender may depart from the rules, as it will stand in a finding. */
export interface Deviation {
  readonly code: FindingCode
  /** A phrase for what was signed, or with what it was: `the body in Latin-1 instead of UTF-8`, `the secret in base64`. */
  readonly what: string
  /** On whose side, and the line to change. */
  readonly fix: string
}

/**
 * What the rarest mistakes cost of those that are tried alone before the dearer pairs of others are. What costs more is
 * tried if something remains of the search.
 */
export const RAREST = 7

/** One hypothesis about one part of the way of signing. */
export interface Choice<T> {
  /** How unlikely it is: 0 for what the rules ask for, 2 for the most usual mistakes, 7 for rare ones, more for a thousand at once. */
  readonly cost: number
  /** None for what the rules ask for. */
  readonly deviation?: Deviation | undefined
  readonly value: T
  /** How much work it is to make it of a body: how many bytes could be hashed for each byte, 4 if it is not said. */
  readonly work?: number
  /** How many hashes it takes to make it, none if it is not said. */
  readonly hashes?: number
}
