// A project without Node's types and without the DOM's; the test copies this file to main.cts as well.
import { MemoryNonceStore, NonceStoreError, readBody, type SignedHeaders, sign, verify } from 'inbound-webhook-auth'

export const headers: SignedHeaders = sign(new Uint8Array(), 'secret', { clock: { now: () => 0 } })
export const verdict = verify(
  { webhookId: '42', headers: { get: () => null }, body: '' },
  'secret',
  new MemoryNonceStore(),
)
export const bytes: Promise<Uint8Array> = readBody({ rawBody: new Uint8Array() })
export const code: 'ERR_NONCE_STORE' = new NonceStoreError('the store answered no').code
