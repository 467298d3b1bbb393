// The types of `handle` with the types of a client, and the type of each body. Nothing here runs.
import { handle, MemoryNonceStore, readBody, receive, verify } from 'inbound-webhook-auth'
import { beginPg, PostgresTransactionStore } from 'inbound-webhook-auth/postgres'
import { handle as handleMessage, receive as receiveMessage } from 'inbound-webhook-auth/standard-webhooks'
import type { Pool, PoolClient } from 'pg'

declare const pool: Pool
declare const request: Request

const store = new PostgresTransactionStore<PoolClient>({
  begin: beginPg(pool),
  query: (client, text) => client.query(text),
})
const nonceStore = new MemoryNonceStore()
const source = { webhookId: '42', request }
const event = { ...source, eventId: () => 'evt_1' }
const insert = async (client: PoolClient) => (await client.query('INSERT INTO events DEFAULT VALUES')).rowCount

export const results = [
  (): Promise<number> => handle(source, 'secret', nonceStore, ({ body }) => body.length),
  (): Promise<number | undefined> =>
    handle(
      { ...source, eventId: ({ body }) => body.toString() },
      'secret',
      nonceStore,
      (_, transaction) => transaction ?? 1,
    ),
  (): Promise<number | null | undefined> => handle(event, 'secret', store, (_, client) => insert(client)),
  (): Promise<number | null> => handle(source, ['secret'], store, (_, client) => insert(client)),
  (): Promise<number> =>
    handle(
      { request },
      () => ({ webhookId: '42', secret: 'secret' }),
      nonceStore,
      () => 1,
    ),
  (): Promise<boolean | undefined> =>
    handleMessage(
      { ...source, eventId: (webhook) => webhook.messageId },
      '',
      store,
      async (_webhook, _client, signal) => signal.aborted,
    ),
  // @ts-expect-error: the result is what the work returns, a number
  (): Promise<string> => handle(source, 'secret', nonceStore, () => 1),
  // @ts-expect-error: the result is what the work returns, a number
  (): Promise<string> => handle(event, 'secret', store, async () => 1),
  // @ts-expect-error: the result is what the work returns, a number
  (): Promise<string> => handleMessage(event, 'whsec_', store, () => 1),
]

export const mistakes = [
  // @ts-expect-error: an event without an ID
  () => handle({ ...source, eventId: () => undefined }, 'secret', store, () => 1),
  // @ts-expect-error: the ID is a promise
  () => handle({ ...source, eventId: async () => 'evt_1' }, 'secret', store, () => 1),
  // @ts-expect-error: the headers are not signed
  () => handle({ ...source, eventId: ({ headers }) => String(headers) }, 'secret', store, () => 1),
  // @ts-expect-error: only a message of Standard Webhooks has a messageId
  () => handle({ ...source, eventId: ({ messageId }) => messageId }, 'secret', store, () => 1),
  // @ts-expect-error: the work does not run for a repeated event
  (): Promise<number> => handle(event, 'secret', nonceStore, () => 1),
  // @ts-expect-error: the work does not run for a repeated event
  (): Promise<number> => handleMessage(event, 'whsec_', store, () => 1),
  // @ts-expect-error: receive does not run the work of an event
  () => receive({ ...source, eventId: () => 'evt_1' }, 'secret', nonceStore),
  // @ts-expect-error: verify does not run the work of an event
  () => verify({ webhookId: '42', headers: {}, body: '', eventId: () => 'evt_1' }, 'secret', nonceStore),
  // @ts-expect-error: the transaction is the client of the store, which has no rollback
  () => handle(source, 'secret', store, (_, client: PoolClient & { rollback(): void }) => client.rollback()),
  // @ts-expect-error: the transaction is the client of the store, which has no rollback
  () => handleMessage(source, 'whsec_', store, (_, client: PoolClient & { rollback(): void }) => client.rollback()),
  // @ts-expect-error: a nonce store has no transaction
  () => handle(source, 'secret', nonceStore, (_, client: PoolClient) => insert(client)),
]

type NodeBuffer = ReturnType<typeof Buffer.alloc>
/** `true` if two types are the same. `any` is the same as no other type. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const isBuffer = <T,>(_: T): Same<T, NodeBuffer> => true as Same<T, NodeBuffer>

export async function bodies(): Promise<true[]> {
  const { body } = await receive(source, 'secret', nonceStore)
  const { body: ofMessage } = await receiveMessage(source, 'whsec_', nonceStore)
  return [
    isBuffer(await readBody(request)),
    isBuffer(body),
    isBuffer(ofMessage),
    await handle(source, 'secret', store, (webhook) => isBuffer(webhook.body)),
    await handleMessage(source, 'whsec_', nonceStore, (webhook) => isBuffer(webhook.body)),
  ]
}
