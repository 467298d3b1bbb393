import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import type { HeaderValues } from '../../../src/rules/formats.js'
import { hex, utf8 } from '../bytes.js'
import { receivedMessage } from '../capture/signed-body.js'

/** Returns the right signature for a request. */
export const signatureOf = (headers: Partial<HeaderValues>, body: Uint8Array, secret: string): string =>
  hex(hmac(sha256, utf8(secret), receivedMessage(headers, body)))
