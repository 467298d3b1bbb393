import { Buffer } from 'node:buffer'
import type { BodyChange, BodyChoice, Ending } from './body.js'
import type { Choice } from './choice.js'
import type { Digest } from './digest.js'
import type { JsonText } from './json.js'
import type { Rewriting } from './json-styles.js'
import { BODY, type Layout, NONCE, TIMESTAMP } from './message.js'
import type { Key } from './secret.js'
import type { Reading } from './signature.js'

/** The bodies, in bytes, up to which a search may take {@link MAX_HASHES}; above, it may take {@link MAX_HASHES_LARGE}. */
export const SMALL_BODY = 65_536

/** The most HMACs and other hashes that a search makes. */
export const MAX_HASHES = 20_000
export const MAX_HASHES_LARGE = 200

/** The most bytes that a search hashes; those that it rewrites count for more, see {@link Choice.work}. */
const MAX_BYTES = 3 * 2 ** 30
const MAX_BYTES_LARGE = 2 ** 30

/** The most bytes that it hashes as they are or rewritten: half a second's. A body up to 30 KB stays below. */
const MAX_HASHED = 600_000_000

/** The most bytes of rewritten bodies that are kept. */
const MAX_KEPT = 2 ** 25

/** No combination is dearer than this; what costs differ by. */
const DEAREST = 16
const STEP = 0.5

/**
 * What a combination costs beside the sum of its parts, by how many of them depart from the rules. Two mistakes in one
 * sender are common, a third is much rarer than its cost tells, and more are not looked for.
 */
const SURCHARGES = [0, 0, 0, 1]

/** What may have been done, part by part, what the rules ask for first in each. */
export interface Ways {
  readonly digests: readonly Choice<Digest>[]
  readonly keys: readonly Choice<Key>[]
  readonly layouts: readonly Choice<Layout>[]
  readonly timestamps: readonly Choice<string>[]
  readonly nonces: readonly Choice<string>[]
  readonly styles: readonly Choice<Rewriting>[]
  readonly changes: readonly BodyChoice[]
  readonly endings: readonly Choice<Ending>[]
}

/** One combination. */
export interface Way {
  readonly digest: Choice<Digest>
  readonly key: Choice<Key>
  readonly layout: Choice<Layout>
  readonly timestamp: Choice<string>
  readonly nonce: Choice<string>
  readonly style: Choice<Rewriting | undefined>
  readonly change: Choice<BodyChange | undefined>
  readonly ending: Choice<Ending>
}

/** The way of signing that gives the signature received. */
export interface Match {
  readonly way: Way
  readonly reading: Reading
  /** The body as it was signed. */
  readonly body: Buffer
  /** What stood around it. */
  readonly before: string
  readonly after: string
}

/** Counts the work, and ends it. */
export class Budget {
  hashes: number
  bytes: number
  #hashed = 0

  constructor(isLarge: boolean, hashesDone: number) {
    this.hashes = (isLarge ? MAX_HASHES_LARGE : MAX_HASHES) - hashesDone
    this.bytes = isLarge ? MAX_BYTES_LARGE : MAX_BYTES
  }

  /** Whether there was enough left for hashes of a message; if so, it is spent. */
  hash(hashes: number, bytes: number): boolean {
    this.#hashed += bytes
    return this.#hashed <= MAX_HASHED && this.take(hashes, bytes)
  }

  /** Whether there was enough left; if so, it is spent. */
  take(hashes: number, bytes: number): boolean {
    if (this.hashes < hashes || this.bytes < bytes) return false
    this.hashes -= hashes
    this.bytes -= bytes
    return true
  }
}

/** Looks for the least unlikely combination that gives the signature received. */
export function search(
  ways: Ways,
  body: Buffer,
  json: JsonText | undefined,
  readings: readonly Reading[],
  budget: Budget,
): Match | undefined {
  const bodies = new Bodies(body, json, budget)
  const layouts = byCost(ways.layouts)
  const digests = byCost(ways.digests)
  const timestamps = byCost(ways.timestamps)
  const nonces = byCost(ways.nonces)
  const keys = byCost(ways.keys)
  const changes = byCost<ChangeChoice>([AS_IT_IS, ...ways.changes])
  const styles = byCost<StyleChoice>([AS_IT_IS, ...ways.styles])
  const endings = byCost(ways.endings)
  const uses = (layout: Layout, part: symbol) => layout.some((one) => one === part)

  for (const room of rooms()) {
    for (const [layout, afterLayout] of affordable(layouts, room)) {
      const usesBody = uses(layout.value, BODY)
      for (const [digest, afterDigest] of affordable(digests, afterLayout)) {
        const suitable = readings.filter((reading) => reading.sizes.includes(digest.value.size))
        for (const [timestamp, afterTimestamp] of affordable(
          only(timestamps, uses(layout.value, TIMESTAMP)),
          afterDigest,
        )) {
          for (const [nonce, afterNonce] of affordable(only(nonces, uses(layout.value, NONCE)), afterTimestamp)) {
            for (const [change, afterChange] of affordable(only(changes, usesBody), afterNonce)) {
              for (const [style, afterStyle] of affordable(
                only(styles, usesBody && !isConstant(change)),
                afterChange,
              )) {
                for (const [ending, afterEnding] of affordable(
                  only(endings, usesBody && !isConstant(change)),
                  afterStyle,
                )) {
                  const exact = exactly(only(keys, digest.value.usesKey), afterEnding)
                  if (exact === undefined) continue
                  const changed = usesBody ? bodies.changed(style, change) : EMPTY
                  if (changed === undefined) continue
                  const [kept, added] = ending.value(changed)
                  // An ending that makes no difference is no other way.
                  if (ending.cost > 0 && added === '' && kept.length === changed.length) continue
                  const [before, after] = around(layout.value, timestamp.value, nonce.value)
                  const message = [Buffer.from(before), kept, Buffer.from(added + after)]
                  for (const key of exact) {
                    // Without an end here, what cannot be afforded would be looked at without an end.
                    if (!budget.hash(digest.value.hashes, before.length + kept.length + after.length)) return undefined
                    const made = digest.value.make(key.value, message).toString('hex')
                    const reading = suitable.find((one) => one.matches(made))
                    if (reading === undefined) continue
                    const way = { digest, key, layout, timestamp, nonce, style, change, ending }
                    return { way, reading, body: Buffer.concat([kept, Buffer.from(added)]), before, after }
                  }
                }
              }
            }
          }
        }
      }
    }
  }
  return undefined
}

const EMPTY = Buffer.alloc(0)

/** The body as received. */
const AS_IT_IS = { cost: 0, value: undefined }

type StyleChoice = Choice<Rewriting | undefined>

type ChangeChoice = Choice<BodyChange | undefined>

const isConstant = (choice: Choice<unknown>) => 'isConstant' in choice && choice.isConstant === true

type ByCost<C> = ReadonlyMap<number, readonly C[]>

/** The dearest of the usual mistakes. */
const USUAL = 4

/** What a choice adds to a total: a rare mistake together with a usual one is less likely than two usual ones. */
const weight = ({ cost }: Choice<unknown>) => (cost > USUAL ? cost + 1 : cost)

/** The choices by what they weigh, the lightest first. */
function byCost<C extends Choice<unknown>>(choices: readonly C[]): ByCost<C> {
  const groups = new Map<number, C[]>()
  for (const choice of [...choices].sort((one, other) => one.cost - other.cost)) {
    const group = groups.get(weight(choice))
    if (group === undefined) groups.set(weight(choice), [choice])
    else group.push(choice)
  }
  return groups
}

/** All, or what the rules ask for alone, where a part makes no difference. */
function only<C>(choices: ByCost<C>, matters: boolean): ByCost<C> {
  return matters ? choices : new Map([[0, (choices.get(0) as readonly C[]).slice(0, 1)]])
}

/** The least that a mistake costs, and the most that the parts of a combination cost together that are none. */
const LEAST_MISTAKE = 2
const MOST_FREE = 2

/** What the parts of a combination that are still to be chosen must come to. */
interface Room {
  readonly cost: number
  /** How many of them depart from the rules. */
  readonly mistakes: number
}

/** What a whole combination may come to, the least unlikely first; of what is as unlikely, fewer mistakes first. */
function* rooms(): Generator<Room> {
  for (let total = 0; total <= DEAREST; total += STEP) {
    for (const [mistakes, surcharge] of SURCHARGES.entries()) {
      if (surcharge <= total) yield { cost: total - surcharge, mistakes }
    }
  }
}

/** What the size of the signature tells, such as its algorithm, costs nothing: it is taken as given. */
const isMistake = ({ cost, deviation }: Choice<unknown>) => cost > 0 && deviation !== undefined

/** The choices for which there is room, with what remains of it. */
function* affordable<C extends Choice<unknown>>(
  choices: ByCost<C>,
  { cost: available, mistakes }: Room,
): Generator<[choice: C, remaining: Room]> {
  for (const [cost, group] of choices) {
    if (cost > available) return
    for (const choice of group) {
      const remaining = { cost: available - cost, mistakes: isMistake(choice) ? mistakes - 1 : mistakes }
      const { cost: left, mistakes: more } = remaining
      if (more === 0 ? left <= MOST_FREE : more > 0 && left >= more * LEAST_MISTAKE) yield [choice, remaining]
    }
  }
}

/** The choices that leave no room; a key that is none of the secrets is a mistake. */
function exactly(keys: ByCost<Choice<Key>>, { cost, mistakes }: Room): readonly Choice<Key>[] | undefined {
  return mistakes === Math.sign(cost) ? keys.get(cost) : undefined
}

/** What stands before the body and after it. */
function around(layout: Layout, timestamp: string, nonce: string): [before: string, after: string] {
  const texts = ['', '']
  let place = 0
  for (const part of layout) {
    if (part === BODY) place = 1
    else texts[place] += part === TIMESTAMP ? timestamp : part === NONCE ? nonce : part.toString()
  }
  return [texts[0] as string, texts[1] as string]
}

/** The bodies that may have been signed, made when they are asked for and kept as long as there is room. */
class Bodies {
  readonly #received: Buffer
  readonly #json: JsonText | undefined
  readonly #budget: Budget
  readonly #kept = new Map<Choice<unknown>, Map<Choice<unknown>, Buffer | undefined>>()
  #keptBytes = 0

  constructor(received: Buffer, json: JsonText | undefined, budget: Budget) {
    this.#received = received
    this.#json = json
    this.#budget = budget
  }

  /** The body after these changes; `undefined` if one of them makes no difference, or cannot be made. */
  changed(style: StyleChoice, change: ChangeChoice): Buffer | undefined {
    const kept = this.#kept.get(style)
    if (kept?.has(change)) return kept.get(change)
    const styled = change === AS_IT_IS ? this.#styled(style) : this.changed(style, AS_IT_IS)
    const changed = styled && this.#rewritten(styled, change)
    this.#keep(style, change, changed)
    return changed
  }

  #styled(style: StyleChoice): Buffer | undefined {
    const { value } = style
    const json = this.#json
    return this.#rewritten(this.#received, { ...style, value: value && json && (() => value(json)) })
  }

  /** What a rewriting makes of a body, if it makes a difference; without one, the body. */
  #rewritten(body: Buffer, { value, work = 4, hashes = 0 }: ChangeChoice): Buffer | undefined {
    if (value === undefined) return body
    if (this.#budget.hashes < hashes || this.#budget.bytes < work * body.length) return undefined
    const rewritten = value(body)
    // Most of what does not apply says so at a glance.
    this.#budget.take(hashes, rewritten === undefined ? body.length : work * body.length)
    return rewritten?.equals(body) ? undefined : rewritten
  }

  #keep(style: StyleChoice, change: ChangeChoice, body: Buffer | undefined): void {
    // The first are the most likely, and asked for the most often.
    if (this.#keptBytes > MAX_KEPT) return
    this.#keptBytes += body === undefined ? 0 : body.length
    const ofStyle = this.#kept.get(style) ?? new Map()
    this.#kept.set(style, ofStyle.set(change, body))
  }
}
