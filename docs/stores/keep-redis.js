import { setTimeout as sleep } from 'node:timers/promises'

/** Milliseconds between two checks. */
const INTERVAL = 500

/**
 * Connects to Redis and checks every master: now, and then twice per second. A check may take as long as a command. It fails if a
 * server does not answer or is no longer a master. Then a new client replaces this one, whatever state it is in. While
 * a server evicts keys, no command is sent.
 *
 * @template {{ connect(): Promise<unknown> }} Client
 * @param {object} driver
 * @param {() => Client} driver.create - creates a client that is not connected yet.
 * @param {(client: Client) => Promise<unknown[]>} driver.infos - sends INFO to every master.
 * @param {(client: Client) => void} driver.close - disconnects at once.
 * @param {number} timeout - how long a command may take, in milliseconds.
 */
export async function keepRedis({ create, infos, close }, timeout) {
  /** @type {Error | undefined} */
  let refusal
  let isOpen = true

  /** @param {Client} client */
  async function check(client) {
    const answers = (await within(timeout, infos(client))).map(String)
    const evicts = !answers.every((info) => /^maxmemory_policy:noeviction\r?$/m.test(info))
    refusal = evicts ? new Error('Redis evicts keys when it is full. Set maxmemory-policy to noeviction.') : undefined
    if (!answers.every((info) => /^role:master\r?$/m.test(info))) throw new Error('Redis is a replica.')
  }

  async function open() {
    const client = create()
    try {
      await within(timeout, client.connect())
      await check(client)
      return client
    } catch (error) {
      close(client)
      throw error
    }
  }

  let client = await open()
  if (refusal !== undefined) {
    close(client)
    throw refusal
  }

  async function watch() {
    while (isOpen) {
      await sleep(INTERVAL, undefined, { ref: false })
      await check(client).catch(replace)
    }
  }

  /** Opens clients until one works. */
  async function replace() {
    while (isOpen) {
      try {
        const next = await open()
        // Commands that are under way may still be answered.
        setTimeout(close, timeout, client).unref()
        client = next
        if (!isOpen) close(next)
        return
      } catch (error) {
        console.error(error)
        await sleep(INTERVAL / 5, undefined, { ref: false })
      }
    }
  }

  watch()

  return {
    /**
     * Sends a command with the present client.
     *
     * @template T
     * @param {(client: Client) => Promise<T>} send
     */
    async send(send) {
      if (refusal !== undefined) throw refusal
      return send(client)
    },
    close() {
      isOpen = false
      close(client)
    },
  }
}

/**
 * Waits for an answer, but not longer than some milliseconds.
 *
 * @template T
 * @param {number} milliseconds
 * @param {Promise<T>} answer
 * @returns {Promise<T>}
 */
async function within(milliseconds, answer) {
  const timer = new AbortController()
  const late = sleep(milliseconds, undefined, { signal: timer.signal }).then(() => {
    throw new Error(`Redis did not answer within ${milliseconds} ms.`)
  })
  return Promise.race([answer, late]).finally(() => timer.abort())
}
