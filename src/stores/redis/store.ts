import { assertOptions, invalidType, kindOf } from '../../arguments.js'
import { NonceStoreError } from '../../errors.js'
import { checkStore, PROBE_SECONDS } from '../check.js'
import { hidingCredentials } from '../credentials.js'
import { engineTtlMilliseconds, newToken, ownerHash, scopedKey, sharedTag } from '../keys.js'
import { type ClaimState, isClaimState, type NonceStore } from '../nonce-store.js'
import { assertFunction, type EventOptions, type NetworkOptions, networkOptions, readEventTtl } from '../options.js'
import { Reservations } from '../reservations.js'

/** Options of {@link RedisNonceStore}. The only required function is a single line with any client. */
export interface RedisNonceStoreOptions extends NetworkOptions, EventOptions {
  /** Sends one command, and resolves to the reply, or rejects. The command is `EVAL`, and `args[3]` is the first key. */
  sendCommand: (args: string[]) => Promise<unknown>
  /** The start of every key, by default `webhook-nonce:`. In a cluster, a prefix with a hash tag (`{…}`) puts all keys in one slot. */
  keyPrefix?: string | undefined
}

/**
 * Reserves all keys or none. The reply contains the token of this call, so that no other reply is used by mistake. If a client sends the
 * command again, the script finds its own token and writes all keys again, because `WAIT` counts only the writes of its own connection.
 */
const RESERVE = `
for _, key in ipairs(KEYS) do
  local token = redis.call('GET', key)
  if token and token ~= ARGV[1] then return 'taken ' .. ARGV[1] end
end
for _, key in ipairs(KEYS) do redis.call('SET', key, ARGV[1], 'PX', ARGV[2]) end
return 'reserved ' .. ARGV[1]`

/** Claims all keys or none, or records them as done. The value of a claim is the hash of its owner, a space and the word `claim`. */
const CLAIM = `
local claim = ARGV[3] .. ' claim'
local state = 'claimed'
for _, key in ipairs(KEYS) do
  local value = redis.call('GET', key)
  local own = value == claim or (value and ARGV[4] == 'done' and string.sub(value, 1, #ARGV[3]) == ARGV[3])
  if value and not own then
    if not string.find(value, ' claim', 1, true) then return 'taken ' .. ARGV[1] end
    state = 'in_progress'
  end
end
if state == 'claimed' then
  local value = ARGV[4] == 'done' and ARGV[1] or claim
  for _, key in ipairs(KEYS) do redis.call('SET', key, value, 'PX', ARGV[2]) end
end
return state .. ' ' .. ARGV[1]`

/** Deletes the keys whose token starts with the hash of the owner. */
const RELEASE = `
for _, key in ipairs(KEYS) do
  local token = redis.call('GET', key)
  if token and string.sub(token, 1, #ARGV[1]) == ARGV[1] then redis.call('DEL', key) end
end
return 'released ' .. ARGV[1]`

/** Returns the eviction policy. The command is `EVAL` too, so that every `sendCommand` sends it to the server that has the key. */
const POLICY = `
local info = redis.pcall('INFO', 'memory')
local policy = type(info) == 'string' and string.match(info, 'maxmemory_policy:([%w-]+)')
return (policy or 'unknown') .. ' ' .. ARGV[1]`

/**
 * A nonce store in Redis, Valkey, or a cluster of Redis or Valkey. The store works with any client.
 *
 * A reservation is one script on one key, or on the two keys of a message. In a cluster, the two keys of a message are on the same node,
 * and the keys of one webhook are spread over all nodes.
 *
 * @throws `TypeError` with `code` `ERR_INVALID_ARGUMENT` for an invalid option.
 *
 * @example
 * ```ts
 * import { createClient } from 'redis'
 * import { RedisNonceStore } from 'inbound-webhook-auth/redis'
 *
 * const client = createClient({ url: 'redis://127.0.0.1:6379', disableOfflineQueue: true })
 * client.on('error', console.error).connect()
 *
 * const nonceStore = new RedisNonceStore({ sendCommand: (args) => client.sendCommand(args) })
 * ```
 */
export class RedisNonceStore implements NonceStore {
  readonly eventTtlSeconds: number
  readonly #sendCommand: (args: string[]) => Promise<unknown>
  readonly #keyPrefix: string
  readonly #reservations: Reservations

  constructor(options: RedisNonceStoreOptions) {
    assertOptions(options, ['sendCommand', 'keyPrefix', 'timeout', 'concurrency', 'eventTtlSeconds'])
    const { sendCommand, keyPrefix = 'webhook-nonce:' } = options
    assertFunction(sendCommand, 'sendCommand', '(args) => client.sendCommand(args)')
    if (typeof keyPrefix !== 'string') throw invalidType(`keyPrefix is ${kindOf(keyPrefix)}. Pass a string.`)
    const { timeout, concurrency } = networkOptions(options)
    this.eventTtlSeconds = readEventTtl(options)
    this.#sendCommand = hidingCredentials(sendCommand)
    this.#keyPrefix = keyPrefix
    this.#reservations = new Reservations(timeout, concurrency)
  }

  reserve(webhookId: string, key: string, ttlSeconds: number, owner?: string): Promise<boolean> {
    return this.reserveAll(webhookId, [key], ttlSeconds, owner)
  }

  async reserveAll(webhookId: string, keys: readonly string[], ttlSeconds: number, owner?: string): Promise<boolean> {
    const redisKeys = this.#redisKeys(webhookId, keys)
    return this.#reservations.reserve(
      redisKeys,
      ttlSeconds,
      () => this.#reserve(redisKeys, ttlSeconds, owner),
      owner === undefined ? undefined : () => this.#release(redisKeys, owner),
    )
  }

  async claim(
    webhookId: string,
    keys: readonly string[],
    seconds: number,
    owner: string,
    isDone = false,
  ): Promise<ClaimState> {
    const redisKeys = this.#redisKeys(webhookId, keys)
    const ask = () => this.#claim(redisKeys, seconds, owner, isDone)
    return this.#reservations.claim(redisKeys, seconds, owner, isDone, ask)
  }

  async release(webhookId: string, keys: readonly string[], owner: string): Promise<void> {
    const redisKeys = this.#redisKeys(webhookId, keys)
    await this.#reservations.release(redisKeys, () => this.#release(redisKeys, owner), owner)
  }

  /**
   * Reserves and releases a random key and asks for the eviction policy. Call `check` once at the start.
   *
   * @throws a `NonceStoreError` if the store does not work. The message says what to do.
   */
  async check(): Promise<void> {
    await checkStore(this.#reservations.timeout, (webhookId, key) => {
      const redisKeys = this.#redisKeys(webhookId, [key])
      return {
        checkSettings: async () => assertNoEviction(await this.#run(POLICY, redisKeys, newToken(undefined))),
        reserve: (owner) => this.#reserve(redisKeys, PROBE_SECONDS, owner),
        claim: (owner) => this.#claim(redisKeys, PROBE_SECONDS, owner, false),
        release: (owner) => this.#release(redisKeys, owner),
        advice: 'Send each command to the server that holds its key.',
      }
    })
  }

  async #reserve(redisKeys: readonly string[], ttlSeconds: number, owner: string | undefined): Promise<boolean> {
    const milliseconds = String(engineTtlMilliseconds(ttlSeconds))
    return (await this.#run(RESERVE, redisKeys, newToken(owner), milliseconds)) === 'reserved'
  }

  async #claim(redisKeys: readonly string[], seconds: number, owner: string, isDone: boolean): Promise<ClaimState> {
    const milliseconds = String(engineTtlMilliseconds(seconds))
    const rest = [milliseconds, ownerHash(owner), isDone ? 'done' : 'claim']
    const state = await this.#run(CLAIM, redisKeys, newToken(owner), ...rest)
    return isClaimState(state) ? state : 'in_progress'
  }

  #release(redisKeys: readonly string[], owner: string): Promise<string> {
    return this.#run(RELEASE, redisKeys, ownerHash(owner))
  }

  #redisKeys(webhookId: string, keys: readonly string[]): string[] {
    // The hash tag {…} puts all keys into the same slot. Braces in a webhook or key come later, and have no effect.
    const start = `${this.#keyPrefix}{${sharedTag(webhookId, String(keys[0]))}}`
    return keys.map((key) => start + scopedKey(webhookId, key))
  }

  /** Runs a script and resolves to the first word of its reply. The second word must be the token. */
  async #run(script: string, keys: readonly string[], token: string, ...rest: string[]): Promise<string> {
    const reply = await this.#sendCommand(['EVAL', script, String(keys.length), ...keys, token, ...rest])
    const [word, answered, ...others] = typeof reply === 'string' ? reply.split(' ') : []
    if (word !== undefined && answered === token && others.length === 0) return word
    throw new Error(
      `sendCommand resolved to ${kindOf(reply)}, not to the script's reply. Return the reply of Redis, with strings decoded.`,
    )
  }
}

function assertNoEviction(policy: string): void {
  if (policy === 'noeviction' || policy === 'unknown') return
  throw new NonceStoreError('Redis removes nonces when its memory is full. Set maxmemory-policy to noeviction.')
}
