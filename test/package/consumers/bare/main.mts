// A project without Node's types and without the DOM's; the test copies this file to main.cts as well.
import {
  MemoryNonceStore,
  NonceStoreError,
  readBody,
  receive,
  refusal,
  type SignedHeaders,
  sign,
  verify,
} from 'inbound-webhook-auth'

export const headers: SignedHeaders = sign(new Uint8Array(), 'secret', { clock: { now: () => 0 } })
export const verdict = verify(
  { webhookId: '42', headers: { get: () => null }, body: '' },
  'secret',
  new MemoryNonceStore(),
)
export const bytes: Promise<Uint8Array> = readBody({ rawBody: new Uint8Array() })
export const code: 'ERR_NONCE_STORE' = new NonceStoreError('the store answered no').code

export async function handle(request: { headers: { 'x-nonce': string }; rawBody: Uint8Array }): Promise<string> {
  const { body } = await receive({ webhookId: '42', request }, 'secret', new MemoryNonceStore())
  const again: Uint8Array = body
  await verify({ webhookId: '42', headers: {}, body }, 'secret', new MemoryNonceStore())
  return body.toString() + body.toString('utf8') + body.subarray(1).length + JSON.parse(body.toString()) + again.length
}
export const status: number = refusal(new Error()).status
