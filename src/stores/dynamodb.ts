import { assertOptions, invalidRange, invalidType, kindOf } from '../arguments.js'
import { assertClock, type Clock, timeOf } from '../clock.js'
import { checkStore, PROBE_SECONDS } from './check.js'
import { withoutCredentials } from './credentials.js'
import { hashesOf, newToken, ownerHash, scopedKeyHash, ttlMilliseconds } from './keys.js'
import type { ClaimState, NonceStore } from './nonce-store.js'
import { assertFunction, type EventOptions, type NetworkOptions, networkOptions, readEventTtl } from './options.js'
import { Reservations } from './reservations.js'

/** The input of DynamoDB's `PutItem` that {@link DynamoDBNonceStore} passes to `putItem`. */
interface DynamoDBPutItemInput {
  TableName: string
  Item: Record<'key_hash' | 'reserved_by', { S: string }> & Record<'expires_at', { N: string }>
  ConditionExpression: string
  ExpressionAttributeValues: Record<string, { N: string } | { S: string }>
  ReturnConsumedCapacity: 'TOTAL'
  ReturnValues?: 'ALL_OLD'
  ReturnValuesOnConditionCheckFailure?: 'ALL_OLD'
}

/** Options of {@link DynamoDBNonceStore}. The only required function is a single line with any SDK. */
export interface DynamoDBNonceStoreOptions extends NetworkOptions, EventOptions {
  /** Sends the `input` of a `PutItem` and resolves to the output. Rejects with the error of the SDK. */
  putItem: (input: DynamoDBPutItemInput) => Promise<unknown>
  /** The table's name or ARN (3 to 1024 characters), by default `webhook_nonces`. Its partition key is the string `key_hash`. */
  table?: string | undefined
  /** The clock for the expiry, by default `Date`. Pass the same clock as to `verify`. */
  clock?: Clock | undefined
}

/** DynamoDB's limits for a name or an ARN. */
const TABLE = /^[A-Za-z0-9_.:/-]{3,1024}$/

/** The key is free, has expired, or was reserved by the same call, which an SDK sends again if the response was lost. */
const IS_FREE = 'attribute_not_exists(key_hash) OR expires_at < :now OR reserved_by = :caller'

/** The key is free, has expired, or was claimed or recorded by the same owner. */
const IS_FREE_OR_OWN = 'attribute_not_exists(key_hash) OR expires_at < :now OR begins_with(reserved_by, :owner)'

/** The parameters that ask for the earlier item, in the response or in the error. */
const RETURN_OLD = { ReturnValues: 'ALL_OLD', ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const

const IS_OWN = 'begins_with(reserved_by, :owner)'

/** The end of `reserved_by` in the item of a claim. The item of a reservation has no space. */
const CLAIM = ' claim'

/** A released key expired 3600 s ago, so it is free for a clock that is behind. DynamoDB never deletes items that expired 5 years ago. */
const RELEASED_SECONDS = 3600

/**
 * A nonce store in a DynamoDB table. The store works with any version of the AWS SDK.
 *
 * A reservation is one conditional `PutItem`. Turn on the table's time to live for the attribute `expires_at`, so that DynamoDB deletes
 * expired items. Until then, expired items only use space, because each write checks the expiry itself.
 *
 * @throws `TypeError` or `RangeError` with `code` `ERR_INVALID_ARGUMENT` for an invalid option.
 *
 * @example
 * ```ts
 * import { DynamoDBNonceStore } from 'inbound-webhook-auth/dynamodb'
 *
 * // (input) => client.send(new PutItemCommand(input)) with @aws-sdk/client-dynamodb
 * declare const putItem: (input: object) => Promise<unknown>
 *
 * const nonceStore = new DynamoDBNonceStore({ putItem })
 * await nonceStore.check()
 * ```
 */
export class DynamoDBNonceStore implements NonceStore {
  readonly eventTtlSeconds: number
  readonly #putItem: DynamoDBNonceStoreOptions['putItem']
  readonly #table: string
  readonly #reservations: Reservations
  readonly #clock: Clock

  constructor(options: DynamoDBNonceStoreOptions) {
    assertOptions(options, ['putItem', 'table', 'timeout', 'concurrency', 'clock', 'eventTtlSeconds'])
    const { putItem, table = 'webhook_nonces', clock = Date } = options
    assertFunction(putItem, 'putItem', '(input) => client.send(new PutItemCommand(input))')
    if (typeof table !== 'string') throw invalidType(`table is ${kindOf(table)}. Pass the table's name or ARN.`)
    if (!TABLE.test(table)) throw invalidRange("table is not a name or an ARN. Pass the table's name or ARN.")
    const { timeout, concurrency } = networkOptions(options)
    assertClock(clock)
    this.eventTtlSeconds = readEventTtl(options)
    this.#putItem = putItem
    this.#table = table
    this.#clock = clock
    this.#reservations = new Reservations(timeout, concurrency, () => timeOf(clock))
  }

  /** Reserves `key` for `ttlSeconds`, rounded up to a whole second. */
  async reserve(webhookId: string, key: string, ttlSeconds: number, owner?: string): Promise<boolean> {
    const hash = scopedKeyHash(webhookId, key)
    return this.#reservations.reserve(
      [hash],
      ttlSeconds,
      () => this.#reserve(hash, ttlSeconds, owner),
      owner === undefined ? undefined : () => this.#release([hash], owner),
    )
  }

  /**
   * Claims one key after the other, because the store writes single items. Two claims that cross may refuse each other once. If a key is
   * refused, the keys that this call has added are free again. With `isDone`, each key that can be recorded stays recorded.
   */
  async claim(
    webhookId: string,
    keys: readonly string[],
    seconds: number,
    owner: string,
    isDone = false,
  ): Promise<ClaimState> {
    const hashes = hashesOf(webhookId, keys)
    const ask = () => this.#claimAll(hashes, seconds, owner, isDone)
    return this.#reservations.claim(hashes, seconds, owner, isDone, ask)
  }

  async release(webhookId: string, keys: readonly string[], owner: string): Promise<void> {
    const hashes = hashesOf(webhookId, keys)
    await this.#reservations.release(hashes, () => this.#release(hashes, owner), owner)
  }

  /**
   * Reserves and releases a random key. Call `check` once at the start, outside the handler, so that the SDK loads its credentials and opens
   * a connection before the first request. The first call of the SDK can take longer than `timeout`.
   *
   * @throws a `NonceStoreError` if the store does not work. The message says what to do.
   */
  async check(): Promise<void> {
    await checkStore(this.#reservations.timeout, (webhookId, key) => {
      const hash = scopedKeyHash(webhookId, key)
      return {
        reserve: (owner) => this.#reserve(hash, PROBE_SECONDS, owner),
        claim: (owner) => this.#claimAll([hash], PROBE_SECONDS, owner, false),
        release: (owner) => this.#release([hash], owner),
        advice: 'Pass the input to PutItem unchanged.',
      }
    })
  }

  async #reserve(hash: string, ttlSeconds: number, owner: string | undefined): Promise<boolean> {
    const caller = newToken(owner)
    const [expiresAt, now] = this.#times(ttlSeconds)
    return (await this.#put(hash, expiresAt, caller, IS_FREE, { ...now, ':caller': { S: caller } })).isWritten
  }

  async #claimAll(hashes: readonly string[], seconds: number, owner: string, isDone: boolean): Promise<ClaimState> {
    const added: string[] = []
    let state: ClaimState = 'claimed'
    for (const hash of hashes) {
      const [expiresAt, now] = this.#times(seconds)
      const [caller, hashOfOwner] = [newToken(owner), ownerHash(owner)]
      const claim = hashOfOwner + CLAIM
      const { isWritten, old } = isDone
        ? await this.#put(hash, expiresAt, caller, IS_FREE_OR_OWN, { ...now, ':owner': { S: hashOfOwner } }, RETURN_OLD)
        : await this.#put(hash, expiresAt, claim, IS_FREE, { ...now, ':caller': { S: claim } }, RETURN_OLD)
      const { reserved_by: reservedBy, expires_at: expiry } = Object(old)
      if (!isWritten) {
        // Old versions of the SDK return no item, and then nobody knows whether the key is reserved.
        const isReserved = typeof reservedBy?.S === 'string' && !reservedBy.S.endsWith(CLAIM)
        if (state !== 'taken') state = isReserved ? 'taken' : 'in_progress'
        if (!isDone) break
      } else if (reservedBy?.S !== claim || Number(expiry?.N) < Number(now[':now'].N)) added.push(hash)
    }
    // A claim that this call only extended stays, because its code is running.
    if (state !== 'claimed' && !isDone) await this.#release(added, owner)
    return state
  }

  /** Returns when a key expires, and the current time, both in seconds. Time to live reads whole seconds. */
  #times(ttlSeconds: number): [expiresAt: number, now: { ':now': { N: string } }] {
    const now = timeOf(this.#clock)
    const expiresAt = Math.ceil((now + ttlMilliseconds(ttlSeconds)) / 1000)
    return [expiresAt, { ':now': { N: (Math.floor(now) / 1000).toFixed(3) } }]
  }

  #release(hashes: readonly string[], owner: string): Promise<unknown> {
    // A release writes an expired item instead of deleting the item, so the release needs no other permission.
    const expiresAt = Math.floor(timeOf(this.#clock) / 1000) - RELEASED_SECONDS
    const values = { ':owner': { S: ownerHash(owner) } }
    return Promise.all(hashes.map((hash) => this.#put(hash, expiresAt, newToken(undefined), IS_OWN, values)))
  }

  /** Writes an item if the condition is true. Resolves to whether it was true, and to the earlier item if `more` asks for it. */
  async #put(
    hash: string,
    expiresAt: number,
    caller: string,
    condition: string,
    values: DynamoDBPutItemInput['ExpressionAttributeValues'],
    more?: typeof RETURN_OLD,
  ): Promise<{ isWritten: boolean; old?: unknown }> {
    const input: DynamoDBPutItemInput = {
      TableName: this.#table,
      Item: { key_hash: { S: hash }, expires_at: { N: String(expiresAt) }, reserved_by: { S: caller } },
      ConditionExpression: condition,
      ExpressionAttributeValues: values,
      ReturnConsumedCapacity: 'TOTAL',
      ...more,
    }
    let output: unknown
    try {
      output = await this.#putItem(input)
    } catch (error) {
      const { name, code, Item: old } = Object(error)
      // Version 3 of the SDK sets `name`, and version 2 sets `code`.
      if ([name, code].includes('ConditionalCheckFailedException')) return { isWritten: false, old }
      throw withoutCredentials(error)
    }
    // Only a response of DynamoDB contains ConsumedCapacity. An SDK command that was never sent does not.
    if (Object(output).ConsumedCapacity) return { isWritten: true, old: Object(output).Attributes }
    throw new Error(`putItem resolved to ${kindOf(output)} without ConsumedCapacity. Resolve to the output of PutItem.`)
  }
}
