import { readFileSync } from 'node:fs'

/** A broken request as a sender made it. */
export interface Captured {
  readonly name: string
  /** The codes that name the cause. If the cause can be explained in two ways, there are two. */
  readonly codes: readonly string[]
  /** When it arrived, in milliseconds since the Unix epoch. */
  readonly now: number
  readonly secret: string | string[]
  readonly headers: Readonly<Record<string, string>>
  readonly method?: string
  readonly path?: string
  /** The body, in base64. */
  readonly body: string
}

/** All captured requests. Each file has one JSON document per line. `senders/generate.sh` writes all files except the last. */
export const CAPTURED: readonly Captured[] = ['python', 'others', 'mixed'].flatMap((senders) =>
  readFileSync(new URL(`captured-${senders}.jsonl`, import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line)),
)
