import { Buffer } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import { WINDOW_SECONDS } from '../../rules/timestamp.js'
import type { SignedHeaders } from '../../sign.js'
import { type Cut, recut, tampered } from './attacks.js'
import type { Answer } from './exchange.js'

/** Where requests go, and how they are signed. */
export interface Endpoint {
  post(headers: SignedHeaders, body: Uint8Array): Promise<Answer>
  /** @param age - how many seconds before now it claims to be signed; ahead of now if negative. */
  sign(message: Cut, age: number): SignedHeaders
}

/** What an endpoint should answer; `either`, where both are right. */
export type Expected = 'accepted' | 'rejected' | 'either'

/** A request that was sent, and what came of it. */
export interface Attempt {
  /** In words. */
  readonly sent: string
  readonly expected: Expected
  readonly answer: Answer
}

/** What to try, after the genuine request. */
export interface Attacks {
  readonly replay?: boolean
  readonly tamper?: boolean
  /** In seconds. */
  readonly age?: number | undefined
  readonly recut?: boolean
}

export function isAccepted({ status }: Answer): boolean {
  return status >= 200 && status <= 299
}

/** Whether it says that the request is not authentic. Another status of 400 or more may have come from something else. */
export function isRejected({ status }: Answer): boolean {
  return status === 401 || status === 403
}

export function isRight({ expected, answer }: Attempt): boolean {
  return (expected !== 'rejected' && isAccepted(answer)) || (expected !== 'accepted' && isRejected(answer))
}

/** A genuine request and, once it was accepted, the attacks: what is rejected by an endpoint that rejects all proves nothing. */
export async function* attemptsOf(endpoint: Endpoint, body: Uint8Array, attacks: Attacks): AsyncIterable<Attempt> {
  const { replay = false, tamper = false, age } = attacks
  const message = { nonce: randomUUID(), body }
  const headers = endpoint.sign(message, 0)
  const genuine = await endpoint.post(headers, body)
  yield { sent: 'a genuine request', expected: 'accepted', answer: genuine }
  if (!isAccepted(genuine)) return

  if (replay) yield { sent: 'the same again', expected: 'rejected', answer: await endpoint.post(headers, body) }
  if (tamper) {
    const answer = await endpoint.post(endpoint.sign({ ...message, nonce: randomUUID() }, 0), tampered(body))
    yield { sent: 'one byte of the body changed', expected: 'rejected', answer }
  }
  if (age !== undefined) {
    const answer = await endpoint.post(endpoint.sign({ ...message, nonce: randomUUID() }, age), body)
    const expected = Math.abs(age) > WINDOW_SECONDS ? 'rejected' : 'accepted'
    yield { sent: `signed ${Math.abs(age)} s ${age < 0 ? 'ahead' : 'ago'}`, expected, answer }
  }
  if (attacks.recut) yield* recutsOf(endpoint, message, headers)
}

async function* recutsOf(endpoint: Endpoint, message: Cut, headers: SignedHeaders): AsyncIterable<Attempt> {
  const sent = 'the same message, cut another way'
  const longer = recut(message)
  if (longer !== undefined) {
    const answer = await endpoint.post({ ...headers, 'X-Nonce': longer.nonce }, longer.body)
    yield { sent: `${sent}: a longer nonce`, expected: 'rejected', answer }
    return
  }

  // A nonce with a colon can be cut as well. An endpoint that refuses it leaves nothing to cut.
  const nonce = randomUUID()
  const colon = { nonce: `${nonce}:1`, body: message.body }
  const signed = endpoint.sign(colon, 0)
  const answer = await endpoint.post(signed, colon.body)
  yield { sent: 'a genuine request with a colon in its nonce', expected: 'either', answer }
  if (!isAccepted(answer)) return
  const shorter = Buffer.concat([Buffer.from('1:'), colon.body])
  yield {
    sent: `${sent}: a shorter nonce`,
    expected: 'rejected',
    answer: await endpoint.post({ ...signed, 'X-Nonce': nonce }, shorter),
  }
}
