import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { hex, utf8 } from '../bytes.js'
import { messageOf } from './report.js'

/** Returns the signature of `timestamp:nonce:body` in lowercase hex. */
export const signatureOf = (timestamp: string, nonce: string, body: Uint8Array, secret: string): string =>
  hex(hmac(sha256, utf8(secret), messageOf({ timestamp, nonce }, body)))
