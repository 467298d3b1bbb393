// # Send from Node
//
// With `fetch`, and no package. In a project that has this package, [`sign`](index.md#sign) returns the three headers.
//
// - With axios, pass the signed bytes and `maxRedirects: 0`, because axios serializes an object again.

import { createHmac, randomUUID } from 'node:crypto'

/**
 * Sends an event once, and returns the status of the answer.
 *
 * @param {string} url
 * @param {object} event
 * @param {string} secret
 */
export async function sendWebhook(url, event, secret) {
  const body = JSON.stringify(event) // serialized once: these bytes are signed, and these bytes are sent
  const timestamp = String(Math.floor(Date.now() / 1000))
  const nonce = randomUUID()
  const headers = {
    'Content-Type': 'application/json',
    'X-Timestamp': timestamp,
    'X-Nonce': nonce,
    'X-Signature': createHmac('sha256', secret).update(`${timestamp}:${nonce}:${body}`).digest('hex'),
  }
  const signal = AbortSignal.timeout(10_000)
  const { status } = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'manual' })
  return status
}
