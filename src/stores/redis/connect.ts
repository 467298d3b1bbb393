import { setTimeout as sleep } from 'node:timers/promises'
import { invalidRange } from '../../arguments.js'
import { Admission } from '../connect/admission.js'
import {
  type ConnectedNonceStore,
  type ConnectOptions,
  connected,
  connectOptionsOf,
  probe,
} from '../connect/connected.js'
import { codedError, connectFailure, isPassing } from '../connect/failure.js'
import { type Driver, KeptClient } from '../connect/kept-client.js'
import { Replicas, type SendTogether } from './replicas.js'
import { RedisNonceStore, type RedisNonceStoreOptions } from './store.js'

/** Options of `connectNodeRedis` and `connectIoredis`. */
export interface ConnectRedisOptions extends ConnectOptions {
  /** The start of every key, by default `webhook-nonce:`. In a cluster, a prefix with a hash tag (`{…}`) puts all keys in one slot. */
  keyPrefix?: string | undefined
  /**
   * How many replicas must have a reservation before it is confirmed: a whole number from 0 to 1000, by default 0. With fewer replicas,
   * the reservation rejects. The store waits for all replicas that the master had during the last 3 s, and for at least this number.
   */
  replicas?: number | undefined
}

/** The options with their defaults. */
type RedisOptions = ReturnType<typeof connectOptionsOf> & { keyPrefix: string | undefined; replicas: number }

/** Returns the options with their defaults. */
export function redisOptionsOf(create: unknown, example: string, options: ConnectRedisOptions): RedisOptions {
  const common = connectOptionsOf(create, example, options, ['keyPrefix', 'replicas'])
  const { keyPrefix, replicas = 0 } = options
  if (!Number.isInteger(replicas) || replicas < 0 || replicas > MAX_REPLICAS) {
    throw invalidRange(`replicas must be a whole number from 0 to ${MAX_REPLICAS}. Suggested: 1, with two replicas.`)
  }
  return { ...common, keyPrefix, replicas }
}

/** The largest value of `replicas`. No master has so many replicas. */
const MAX_REPLICAS = 1000

/** Milliseconds between two attempts to open the first client. */
const OPEN_INTERVAL = 100

/**
 * Opens the first client, and resolves to it. During a failover, there is no master for a moment, and a new replica gets nothing for up
 * to a second. So this function tries again within the time-out.
 */
async function openInTime<Client>(timeout: number, open: () => Promise<Client>): Promise<Client> {
  for (const deadline = performance.now() + timeout; ; await sleep(OPEN_INTERVAL)) {
    try {
      return await open()
    } catch (error) {
      if (!isPassing(error) || performance.now() + OPEN_INTERVAL > deadline) throw error
    }
  }
}

/** Milliseconds between two checks. */
const CHECK_INTERVAL = 500

/** What differs between the clients of Redis. */
export interface RedisDriver<Client, Connection> extends Omit<Driver<Client>, 'check' | 'replaced'> {
  /** Sends a command, and resolves to the reply. The first key is `args[3]`. */
  send(client: Client, args: string[]): Promise<unknown>
  /** Returns the connections to every master that the client uses. */
  masters(client: Client): Promise<readonly Connection[]>
  /** Returns the connection to the master of a key. */
  masterOf(client: Client, key: string): Promise<Connection>
  /** Sends `INFO`, and resolves to the reply. */
  info(connection: Connection): Promise<unknown>
  sendTogether: SendTogether<Connection>
  /** Returns whether the client stays with an old master after a planned failover. */
  keepsOldMaster(client: Client): boolean
}

/** Returns whether an error is a reply of the server, such as `OOM command not allowed`. The connection then still works. */
function isReply(error: unknown): boolean {
  const { code, message } = Object(error)
  return (
    code === 'EVICTS' || code === 'NOREPLICAS' || (/^[A-Z]+ /.test(message) && !/^(READONLY|UNBLOCKED) /.test(message))
  )
}

/** Returns whether a node of a cluster answered that another node has the slot. */
function isElsewhere(error: unknown): boolean {
  return /^(MOVED|ASK|TRYAGAIN|CLUSTERDOWN) /.test(Object(error).message)
}

/**
 * Connects a store to Redis, and resolves to the store. Checks every master at the start and twice per second. If a server does not
 * answer, or is no longer a master, the client is replaced. While a server evicts keys, no command is sent.
 */
export async function connectRedis<Client extends object, Connection extends object>(
  driver: RedisDriver<Client, Connection>,
  { timeout, onError, keyPrefix, replicas: minimum }: RedisOptions,
): Promise<ConnectedNonceStore> {
  let evicts = false
  // A WAIT takes at most half of the time-out, because a check on the same connection must wait until the WAIT has ended.
  const replicas = new Replicas(minimum, timeout / 2, driver.sendTogether)

  async function check(client: Client): Promise<void> {
    const masters = await driver.masters(client)
    const infos = (await Promise.all(masters.map(driver.info))).map(String)
    for (const [index, master] of masters.entries()) replicas.observe(master, String(infos[index]))
    // The client of a cluster has no masters if it has lost all its connections.
    if (infos.length === 0) throw new Error('No master of the cluster is connected.')
    if (!infos.every((info) => /^role:master\r?$/m.test(info)))
      throw codedError('READ_ONLY', 'The server is a replica.')
    if (driver.keepsOldMaster(client) && masters.some((master) => replicas.areLost(master)))
      throw codedError('NOREPLICAS', 'The master has lost its replicas, so another server may be the master now.')
    evicts = !infos.every((info) => /^maxmemory_policy:noeviction\r?$/m.test(info))
  }

  async function send(client: Client, args: string[]): Promise<unknown> {
    if (evicts) throw codedError('EVICTS', 'Redis evicts keys when it is full. Set maxmemory-policy to noeviction.')
    return minimum === 0 ? driver.send(client, args) : sendToReplicas(client, args)
  }

  async function sendToReplicas(client: Client, args: string[]): Promise<unknown> {
    const reserve = async () => replicas.reserve(await driver.masterOf(client, String(args[3])), args)
    try {
      return await reserve()
    } catch (error) {
      if (!isElsewhere(error)) throw error
      // The client itself follows the slot to its new node. The script finds its own token, so it may run twice.
      await driver.send(client, args)
      return reserve()
    }
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
  const createStore = (sendAdmitted: RedisNonceStoreOptions['sendCommand']) =>
    new RedisNonceStore({ timeout, keyPrefix, sendCommand: (args) => admission.send(() => sendAdmitted(args)) })
  // The store is created before anything is connected, so that an invalid option is an error at once.
  const store = createStore(sendWithNext)

  async function open(): Promise<KeptClient<Client>> {
    const opened = await KeptClient.open({ ...driver, check, replaced: () => admission.forget() }, timeout, onError)
    try {
      await probe(createStore((args) => send(opened.client, args)))
      return opened
    } catch (error) {
      await opened.close()
      throw connectFailure(error)
    }
  }

  const kept = await openInTime(timeout, open)
  void kept.watch(CHECK_INTERVAL)
  return connected(store, admission, () => kept.close())
}
