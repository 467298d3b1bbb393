import { bodyBytes } from '../body.js'
import { assertClock, type Clock } from '../clock.js'
import { isNonce } from '../nonce.js'
import { type Secret, secretList } from '../secret.js'
import { isSignature } from '../signature.js'
import { isTimestamp, isWithinWindow, offsetFrom } from '../timestamp.js'
import { notRawBody, readRequest, type WebhookRequest } from '../verify.js'
import type { Diagnosis, Finding } from './finding.js'

export type { Diagnosis, Finding, FindingCode } from './finding.js'

/** Tells why a request does not verify. */
export async function diagnose(request: WebhookRequest, secret: Secret, clock: Clock = Date): Promise<Diagnosis> {
  const { headers, body: received } = readRequest(request)
  const body = bodyBytes(received, 'request.body')
  if (body === undefined) throw await notRawBody(received)
  const secrets = secretList(secret)
  assertClock(clock)
  const now = clock.now()
  const findings: Finding[] = []
  const fix = 'On the sender\u2019s side: send it with every request'
  for (const name of ['x-timestamp', 'x-nonce', 'x-signature'] as const) {
    if (headers[name] === undefined) findings.push({ code: 'header_missing', message: `${name} is missing`, fix })
  }
  const { 'x-timestamp': timestamp = '', 'x-nonce': nonce = '', 'x-signature': signature = '' } = headers
  if (!isTimestamp(timestamp)) findings.push({ code: 'timestamp_format', message: 'X-Timestamp is not Unix time', fix })
  else if (!isWithinWindow(timestamp, now)) {
    findings.push({ code: 'clock_behind', message: `X-Timestamp is ${offsetFrom(now, timestamp)}`, fix })
  }
  if (!isNonce(nonce)) findings.push({ code: 'nonce_characters', message: 'X-Nonce is not visible ASCII', fix })
  if (!secrets.some((one) => isSignature(signature, { timestamp, nonce, body }, one))) {
    findings.push({ code: 'signature_mismatch', message: 'X-Signature does not match', fix })
  }
  return { genuine: findings.length === 0, findings }
}
