import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import type { HeaderValues } from '../../../src/rules/formats.js'
import { hex } from '../bytes.js'
import { receivedMessage, X_SIGNATURE } from '../schemes.js'

export const signatureOf = (
  headers: Partial<HeaderValues>,
  body: Uint8Array,
  secret: string,
  scheme = X_SIGNATURE,
): string => hex(hmac(sha256, scheme.keyOf(secret), receivedMessage(headers, body, scheme)))
