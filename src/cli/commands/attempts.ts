import { Buffer } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import type { SignedHeaders } from '../../index.js'
import { isNonce } from '../../rules/nonce.js'
import { WINDOW_SECONDS } from '../../rules/timestamp.js'
import type { EndpointResponse } from '../output/http.js'

/** A nonce and a body. One signed message can be split into several such pairs. */
export interface Split {
  readonly nonce: string
  readonly body: Uint8Array
}

/** The endpoint under test. */
export interface Endpoint {
  post(headers: SignedHeaders, body: Uint8Array): Promise<EndpointResponse>
  /** @param age - how old the timestamp is, in seconds. Negative for the future. */
  sign(split: Split, age: number): SignedHeaders
}

/** What the endpoint should do. Both are right for `either`. */
export type Expected = 'accepted' | 'rejected' | 'either'

/** A request that was sent, and its response. */
export interface Attempt {
  /** For the reader: `the same request again`. */
  readonly sent: string
  readonly expected: Expected
  readonly response: EndpointResponse
}

/** Which attacks to try. */
export interface Attacks {
  readonly replay?: boolean
  readonly tamper?: boolean
  /** In seconds. */
  readonly age?: number | undefined
  readonly recut?: boolean
}

export function isAccepted({ status }: EndpointResponse): boolean {
  return status >= 200 && status <= 299
}

/** Other error statuses may come from something else than the check. */
export function isRejected({ status }: EndpointResponse): boolean {
  return status === 401 || status === 403
}

export function isRight({ expected, response }: Attempt): boolean {
  return (expected !== 'rejected' && isAccepted(response)) || (expected !== 'accepted' && isRejected(response))
}

/** Sends a genuine request, then the attacks. Sends no attack if the endpoint rejects even the genuine request. */
export async function* sendAttempts(endpoint: Endpoint, body: Uint8Array, attacks: Attacks): AsyncIterable<Attempt> {
  const send = async (sent: string, expected: Expected, headers: SignedHeaders, sentBody: Uint8Array) => {
    return { sent, expected, response: await endpoint.post(headers, sentBody) }
  }
  const nonce = randomUUID()
  const headers = endpoint.sign({ nonce, body }, 0)
  const genuine = await send('a genuine request', 'accepted', headers, body)
  yield genuine
  if (!isAccepted(genuine.response)) return

  const { age } = attacks
  if (attacks.replay) yield send('the same request again', 'rejected', headers, body)
  if (attacks.tamper) {
    const signed = endpoint.sign({ nonce: randomUUID(), body }, 0)
    yield send('one byte of the body changed', 'rejected', signed, tamperBody(body))
  }
  if (age !== undefined) {
    const sent = `signed ${Math.abs(age)} s ${age < 0 ? 'in the future' : 'ago'}`
    const expected = Math.abs(age) > WINDOW_SECONDS ? 'rejected' : 'accepted'
    yield send(sent, expected, endpoint.sign({ nonce: randomUUID(), body }, age), body)
  }
  if (!attacks.recut) return
  const longer = lengthenNonce({ nonce, body })
  if (longer !== undefined) {
    yield send('re-split with a longer nonce', 'rejected', { ...headers, 'X-Nonce': longer.nonce }, longer.body)
    return
  }
  // This body cannot be split, so split a nonce that has a colon. An endpoint may refuse that nonce.
  const shorter = randomUUID()
  const signed = endpoint.sign({ nonce: `${shorter}:1`, body }, 0)
  const withColon = await send('a genuine request with a colon in its nonce', 'either', signed, body)
  yield withColon
  if (!isAccepted(withColon.response)) return
  const longerBody = Buffer.concat([Buffer.from('1:'), body])
  yield send('re-split with a shorter nonce', 'rejected', { ...signed, 'X-Nonce': shorter }, longerBody)
}

/** Changes one byte of a body, a digit if it has one: JSON stays JSON. An empty body becomes `0`. */
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
export function lengthenNonce({ nonce, body }: Split): Split | undefined {
  const colon = body.indexOf(':'.charCodeAt(0))
  if (colon === -1) return undefined
  const longer = `${nonce}:${Buffer.from(body.subarray(0, colon)).toString('latin1')}`
  return isNonce(longer) ? { nonce: longer, body: body.subarray(colon + 1) } : undefined
}
