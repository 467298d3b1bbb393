import { Buffer } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import type { SignedHeaders } from '../../../index.js'
import { isNonce } from '../../../rules/nonce.js'
import { WINDOW_SECONDS } from '../../../rules/timestamp.js'
import { type EndpointResponse, isAccepted, isRejected } from '../http-client.js'

/** The endpoint under test. */
export interface Endpoint {
  post(headers: SignedHeaders, body: Uint8Array): Promise<EndpointResponse>
  /**
   * Signs the genuine body.
   *
   * @param ageSeconds - the age of the timestamp, which is negative if the timestamp is in the future.
   */
  sign(nonce: string, ageSeconds: number): SignedHeaders
}

/** The response that the endpoint should send. With `either`, both are right. */
export type Expected = 'accepted' | 'rejected' | 'either'

/** The genuine request, or one of the attacks. */
export type Kind = 'genuine' | 'replay' | 'tamper' | 'age' | 'resplit'

/** A request that was sent, and its response. */
export interface Attempt {
  readonly kind: Kind
  /** The description in the output: `the same request again`. */
  readonly sent: string
  readonly expected: Expected
  readonly response: EndpointResponse
}

/** In seconds. The request takes time, so an age near the end of the window may be accepted or rejected. */
const EDGE_SECONDS = 10

export function isRight({ expected, response }: Attempt): boolean {
  return (expected !== 'rejected' && isAccepted(response)) || (expected !== 'accepted' && isRejected(response))
}

/** Sends a genuine request, then the attacks; `age` is in seconds. Sends no attack if the endpoint does not accept the genuine request. */
export async function sendAttempts(
  endpoint: Endpoint,
  body: Uint8Array,
  attacks: { readonly replay?: boolean; readonly tamper?: boolean; readonly age?: number; readonly resplit?: boolean },
): Promise<readonly Attempt[]> {
  const attempts: Attempt[] = []
  /** Returns whether the endpoint accepted the request. */
  const send = async (kind: Kind, sent: string, expected: Expected, headers: SignedHeaders, sentBody = body) => {
    const response = await endpoint.post(headers, sentBody)
    attempts.push({ kind, sent, expected, response })
    return isAccepted(response)
  }
  const nonce = randomUUID()
  const headers = endpoint.sign(nonce, 0)
  if (!(await send('genuine', 'a genuine request', 'accepted', headers))) return attempts

  if (attacks.replay) await send('replay', 'the same request again', 'rejected', headers)
  if (attacks.tamper) {
    const signed = endpoint.sign(randomUUID(), 0)
    await send('tamper', 'one byte of the body changed', 'rejected', signed, tamperBody(body))
  }
  if (attacks.age !== undefined) {
    const distance = Math.abs(attacks.age)
    const sent = `signed ${distance} s ${attacks.age < 0 ? 'in the future' : 'ago'}`
    const expectedInside = distance > WINDOW_SECONDS - EDGE_SECONDS ? 'either' : 'accepted'
    const expected = distance > WINDOW_SECONDS ? 'rejected' : expectedInside
    await send('age', sent, expected, endpoint.sign(randomUUID(), attacks.age))
  }
  if (!attacks.resplit) return attempts
  const longer = lengthenNonce(nonce, body)
  if (longer !== undefined) {
    await send(
      'resplit',
      're-split with a longer nonce',
      'rejected',
      { ...headers, 'X-Nonce': longer.nonce },
      longer.body,
    )
    return attempts
  }
  // This body cannot be split, so split a nonce that has a colon. An endpoint may refuse that nonce.
  const shorter = randomUUID()
  const signed = endpoint.sign(`${shorter}:1`, 0)
  if (await send('resplit', 'a genuine request with a colon in its nonce', 'either', signed)) {
    const longerBody = Buffer.concat([Buffer.from('1:'), body])
    await send('resplit', 're-split with a shorter nonce', 'rejected', { ...signed, 'X-Nonce': shorter }, longerBody)
  }
  return attempts
}

/**
 * The probable cause if an attack was accepted. If several attacks were accepted, the first one in this list counts.
 */
const CAUSES: { readonly [kind in Kind]?: string } = {
  tamper:
    'A changed body was accepted. The handler probably ignores the result of `verify`, or uses another body than the raw body that it verifies. Write `const { body } = await receive(…)`, and use this body.',
  replay:
    'The replay was accepted. There is probably a nonce store per request or per process. Create one store when the process starts, and a shared store for several processes. If --tamper is accepted too, the handler ignores the result.',
  age: 'A request from outside the window was accepted. Compare the clock of the endpoint with the clock of this machine.',
  resplit:
    'A re-split was accepted. The nonce store probably forgets or changes the key that begins with `signature `.',
}

/** Returns the likely reason why an endpoint accepted attacks, as a sentence for the reader. */
export function findCause(attempts: readonly Attempt[]): string | undefined {
  const accepted = attempts.filter(({ expected, response }) => expected === 'rejected' && isAccepted(response))
  return Object.entries(CAUSES).find(([wanted]) => accepted.some(({ kind }) => kind === wanted))?.[1]
}

/** Changes one byte of a body. It prefers a digit, so that JSON stays JSON. An empty body becomes `0`. */
export function tamperBody(body: Uint8Array): Uint8Array {
  if (body.length === 0) return Buffer.from('0')
  const changed = Buffer.from(body)
  const digit = changed.findLastIndex((byte) => byte >= 0x30 && byte <= 0x39)
  const index = digit === -1 ? changed.length >> 1 : digit
  changed.writeUInt8(changed.readUInt8(index) ^ 1, index)
  return changed
}

/**
 * Splits a signed message at its next colon: the nonce grows by the beginning of the body.
 * Returns `undefined` if the body has no colon, or the longer nonce breaks the rule for nonces.
 */
export function lengthenNonce(nonce: string, body: Uint8Array): { nonce: string; body: Uint8Array } | undefined {
  const colon = body.indexOf(':'.charCodeAt(0))
  if (colon === -1) return undefined
  const longer = `${nonce}:${Buffer.from(body.subarray(0, colon)).toString('latin1')}`
  return isNonce(longer) ? { nonce: longer, body: body.subarray(colon + 1) } : undefined
}
