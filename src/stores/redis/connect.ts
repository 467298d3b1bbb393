import { Admission } from '../connect/admission.js'
import { type ConnectedNonceStore, type ConnectOptions, type ConnectSettings, openStore } from '../connect/connected.js'
import { codedError } from '../connect/failure.js'
import { type Driver, ReconnectingClient } from '../connect/reconnecting-client.js'
import { RedisNonceStore } from './store.js'

/** Options of `connectNodeRedis` and `connectIoredis`. */
export interface ConnectRedisOptions extends ConnectOptions {
  /** The start of every key, by default `webhook-nonce:`. In a cluster, a prefix with a hash tag (`{…}`) puts all keys in one slot. */
  keyPrefix?: string | undefined
}

/** Milliseconds between two checks. */
const CHECK_INTERVAL = 500

/** The functions that differ between the clients of Redis. */
export interface RedisDriver<Client> extends Omit<Driver<Client>, 'check' | 'replaced'> {
  /** Sends a command, and resolves to the reply. The first key is `args[3]`. */
  send(client: Client, args: string[]): Promise<unknown>
  /** Returns the connections to every master that the client uses. */
  masters(client: Client): Promise<readonly Client[]>
}

/** Returns whether an error is a reply of the server, such as `OOM command not allowed`. The connection then still works. */
function isReply(error: unknown): boolean {
  const { code, message } = Object(error)
  return code === 'EVICTS' || (/^[A-Z]+ /.test(message) && !/^(READONLY|UNBLOCKED) /.test(message))
}

/**
 * Connects a store to Redis, and resolves to the store. Checks every master at the start and twice per second. If a server does not
 * respond, or is no longer a master, the client is replaced. While a server evicts keys, no command is sent.
 */
export async function connectRedis<Client extends object>(
  driver: RedisDriver<Client>,
  { timeout, concurrency, onError, keyPrefix }: ConnectSettings<ConnectRedisOptions>,
): Promise<ConnectedNonceStore> {
  let evicts = false

  async function check(client: Client): Promise<void> {
    const masters = await driver.masters(client)
    const infos = (await Promise.all(masters.map((master) => driver.send(master, ['INFO'])))).map(String)
    // The client of a cluster has no masters if all connections are lost.
    if (infos.length === 0) throw new Error('No master of the cluster is connected.')
    if (!infos.every((info) => /^role:master\r?$/m.test(info)))
      throw codedError('READ_ONLY', 'The server is a replica.')
    evicts = !infos.every((info) => /^maxmemory_policy:noeviction\r?$/m.test(info))
  }

  async function send(client: Client, args: string[]): Promise<unknown> {
    if (evicts) throw codedError('EVICTS', 'Redis evicts keys when it is full. Set maxmemory-policy to noeviction.')
    return driver.send(client, args)
  }

  async function sendWithNext(args: string[]): Promise<unknown> {
    const deadline = performance.now() + timeout
    const { client } = reconnecting
    try {
      return await send(client, args)
    } catch (error) {
      if (isReply(error)) throw error
      // The script is safe to run twice, because the second run finds the token of the first run.
      const next = await reconnecting.replace(client, error)
      if (performance.now() > deadline) throw error
      return send(next, args)
    }
  }

  const admission = new Admission(concurrency, timeout)
  const store = new RedisNonceStore({
    timeout,
    keyPrefix,
    sendCommand: (args) => admission.send(() => sendWithNext(args)),
  })

  const reconnecting = new ReconnectingClient(
    { ...driver, check, replaced: () => admission.forget() },
    { timeout, onError },
  )
  const connected = await openStore(store, reconnecting)
  void reconnecting.watch(CHECK_INTERVAL)
  return connected
}
