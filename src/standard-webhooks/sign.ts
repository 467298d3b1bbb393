import { randomUUID } from 'node:crypto'
import { assertOptions, invalidRange, invalidType, kindOf } from '../arguments.js'
import type { Body } from '../rules/body.js'
import type { SignedMessage } from '../rules/signature.js'
import { bytesToSign, type SignOptions, timestampToSign } from '../sign.js'
import { signEd25519 } from './ed25519.js'
import { signedBytes, signMessage } from './message.js'
import { isMessageId, MAX_ID_LENGTH } from './message-id.js'
import { readKeys, type StandardKey, type StandardSecret } from './secret.js'

/** Options of {@link sign}, which uses the current time and a random ID by default. */
export interface SignMessageOptions extends Pick<SignOptions, 'timestamp' | 'clock'> {
  /**
   * The value of `webhook-id`: 1 to 256 visible ASCII characters without a full stop. For a retry, pass the ID of the first attempt. By
   * default, `msg_` and 32 random hex digits.
   */
  messageId?: string | undefined
}

/** The three headers of a signed message, ready for `fetch`. */
export type MessageHeaders = { 'webhook-id': string; 'webhook-timestamp': string; 'webhook-signature': string }

/**
 * Signs a body by the rules of Standard Webhooks (specification, "Signature scheme") and returns the three headers to send with the body.
 * Sign each retry again with the same `messageId`.
 *
 * @param body - exactly the bytes that you send. A string is encoded as UTF-8.
 * @param secret - the webhook's signing secret, or a private key for a signature of version `v1a`: `whsk_` and the base64 of 64 or 32 bytes.
 * With several secrets, `webhook-signature` contains one signature per secret.
 * @throws `TypeError` or `RangeError` with `code` `ERR_INVALID_ARGUMENT` for an invalid argument.
 *
 * @example
 * ```ts
 * import { sign } from 'inbound-webhook-auth/standard-webhooks'
 *
 * const options = { messageId: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestamp: 1614265330 }
 * const headers = sign('{"test": 2432232314}', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', options)
 *
 * console.log(headers['webhook-signature']) // v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=
 * ```
 */
export function sign(body: Body, secret: StandardSecret, options: SignMessageOptions = {}): MessageHeaders {
  const keys = readKeys(secret, '', 'sign')
  assertOptions(options, ['timestamp', 'messageId', 'clock'])
  const { messageId = `msg_${randomUUID().replaceAll('-', '')}` } = options
  const timestamp = timestampToSign(options)
  assertMessageId(messageId)
  const message = { timestamp, nonce: messageId, body: bytesToSign(body) }
  return {
    'webhook-id': messageId,
    'webhook-timestamp': timestamp,
    'webhook-signature': keys.map((key) => signatureOf(message, key)).join(' '),
  }
}

function signatureOf(message: SignedMessage, { version, bytes }: StandardKey): string {
  return `${version},${version === 'v1' ? signMessage(message, bytes) : signEd25519(signedBytes(message), bytes)}`
}

function assertMessageId(messageId: unknown): void {
  if (typeof messageId !== 'string') throw invalidType(`messageId is ${kindOf(messageId)}. Pass a string.`)
  if (!isMessageId(messageId)) {
    throw invalidRange(
      `messageId is not 1 to ${MAX_ID_LENGTH} visible ASCII characters without a full stop. Leave out messageId to use a random ID.`,
    )
  }
}
