import { createHmac } from 'node:crypto'
import { GUIDE_SECRET } from './transcripts.js'

/** The captured requests of docs/debug, by the names of their files. Each contains one mistake of a sender. */
export function captures(): Record<string, string> {
  const [timestamp, nonce] = ['1700000000', '6f9619ff-8b86-4d01-b42d-00cf4fc964ff']
  const body = '{"event":"invoice.paid","amount":12.50,"customer":"Zoë"}'
  const signature = createHmac('sha256', GUIDE_SECRET).update(`${timestamp}:${nonce}:${body}`).digest('base64')
  const head = [
    ...['POST /hooks/42 HTTP/1.1', 'Host: example.com', 'Content-Type: application/json', `X-Timestamp: ${timestamp}`],
    ...[`X-Nonce: ${nonce}`, `X-Signature: ${signature}`, `Content-Length: ${Buffer.byteLength(body)}`],
  ]
  return { 'signature-base64.http': `${head.join('\n')}\n\n${body}` }
}
