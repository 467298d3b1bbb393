import { Admission } from '../connect/admission.js'
import { type ConnectedNonceStore, type ConnectOptions, connected, probe } from '../connect/connected.js'
import { codedError, connectFailure } from '../connect/failure.js'
import { type Driver, KeptClient } from '../connect/kept-client.js'
import { RedisNonceStore } from './store.js'

/** Options of `connectNodeRedis` and `connectIoredis`. */
export interface ConnectRedisOptions extends ConnectOptions {
  /** The start of every key, by default `webhook-nonce:`. In a cluster, a hash tag (`{…}`) in it puts all keys in one slot. */
  keyPrefix?: string | undefined
}

/** Milliseconds between two checks. */
const CHECK_INTERVAL = 500

/** What differs between the clients of Redis. */
export interface RedisDriver<Client> extends Omit<Driver<Client>, 'check'> {
  /** Sends a command. The first key is `args[3]`. */
  send(client: Client, args: string[]): Promise<unknown>
  /** Sends `INFO` to every master that the client uses. */
  infos(client: Client): Promise<unknown[]>
}

/** Checks for a reply of the server, such as `OOM command not allowed`. Such an error does not concern the connection. */
function isReply(error: unknown): boolean {
  const { code, message } = Object(error)
  return code === 'EVICTS' || (/^[A-Z]+ /.test(message) && !message.startsWith('READONLY'))
}

/**
 * Connects a store to Redis, and checks every master now and then twice per second. A server that does not answer, or is no
 * longer a master, gets a new client. While a server evicts keys, no command is sent.
 */
export async function connectRedis<Client extends object>(
  driver: RedisDriver<Client>,
  timeout: number,
  onError: (error: unknown) => void,
  keyPrefix: string | undefined,
): Promise<ConnectedNonceStore> {
  let evicts = false

  async function check(client: Client): Promise<void> {
    const infos = (await driver.infos(client)).map(String)
    // A cluster that has lost all its connections has no master.
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
    const { client } = kept
    try {
      return await send(client, args)
    } catch (error) {
      if (isReply(error)) throw error
      // The script finds its own token, so it may run twice.
      const next = await kept.replace(client, error)
      if (performance.now() > deadline) throw error
      return send(next, args)
    }
  }

  const admission = new Admission(timeout)
  const sendCommand = (args: string[]) => admission.send(() => sendWithNext(args))
  const store = new RedisNonceStore({ timeout, keyPrefix, sendCommand })
  const kept = await KeptClient.open({ ...driver, check }, timeout, onError)
  try {
    await probe(store)
  } catch (error) {
    await kept.close()
    throw connectFailure(error)
  }
  void kept.watch(CHECK_INTERVAL)
  return connected(store, admission, () => kept.close())
}
