import { readFileSync } from 'node:fs'
import type { Side } from '../../src/diagnose/index.js'

/** A broken request as a sender made it. */
export interface Captured {
  readonly name: string
  /** Whether only a long search finds the cause. */
  readonly isLong?: boolean
  /** The codes that name the cause. If the cause can be explained in two ways, there are two. */
  readonly codes: readonly string[]
  /** The side of the first finding. */
  readonly side?: Side
  /** Words that the first finding must have. */
  readonly says?: readonly string[]
  /** Whether there must be no other finding. */
  readonly only?: boolean
  /** When it arrived, in milliseconds since the Unix epoch. */
  readonly now: number
  readonly secret: string | string[]
  readonly headers: Readonly<Record<string, string>>
  readonly method?: string
  readonly path?: string
  /** The body, in base64. */
  readonly body: string
}

/** One request per line, as programs in nine languages sent them. Together they use every hypothesis. */
export const CAPTURED: readonly Captured[] = readFileSync(new URL('captured.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line))
