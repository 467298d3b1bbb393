import type { Received } from '../../../src/cli/listen/receiver.js'
import type { Report } from '../../../src/cli/listen/report.js'

/** A secret of 32 random bytes. */
export const SECRET = 'cKsQ_EJbrw_SreUQ0LA3YsYy0sSp_1Fgkp-_M282FlE'
export const TIME = 1_700_000_000_500
export const BODY = Uint8Array.from(Buffer.from('{"event":"paid"}'))

export const REPORT: Report = {
  time: TIME,
  method: 'POST',
  path: '/hooks/42',
  status: 401,
  ok: false,
  reason: 'signature_mismatch',
  detail: 'body of 16 bytes',
  findings: [],
}

export const RECEIVED: Received = {
  method: 'POST',
  path: '/hooks/42',
  headers: Object.entries({ Host: 'example.com', 'Content-Type': 'application/json', 'X-Signature': 'wrong' }),
  body: BODY,
  time: TIME,
  secret: SECRET,
}
