import { pause, startTimer, within } from '../with-timeout.js'
import { connectFailure } from './failure.js'

/** Milliseconds between two attempts to replace a client. */
const RETRY_INTERVAL = 100

/** What differs between the clients that a {@link KeptClient} keeps. */
export interface Driver<Client> {
  /** Returns a new client that is not connected yet. Errors of this client in the background go to `onError`. */
  create(onError: (error: unknown) => void): Client
  /** Connects a new client. */
  connect(client: Client): Promise<unknown>
  /** Rejects if this client cannot reserve now, but another one may be able to. */
  check(client: Client): Promise<unknown>
  /** Ends all connections of a client, whatever its state. */
  close(client: Client): Promise<unknown>
  /** Is called when a new client that works has replaced another one. */
  replaced?(): void
}

/**
 * Keeps one working client, because clients behave differently after a fault: some wait for ever, some keep a dead connection,
 * and some never settle `connect()`. So a client that fails a check is replaced by a new one, whatever its state.
 */
export class KeptClient<Client extends object> {
  readonly #driver: Driver<Client>
  readonly #timeout: number
  readonly #openingTime: number
  readonly #onError: (error: unknown) => void
  #client: Client | undefined
  /** While the present client is being replaced: resolves when the new client works. Rejects if the server is down for too long. */
  #replacement: Promise<void> | undefined
  #isClosed = false
  /** All clients that are not closed. A client that is being closed has a promise, which settles when the client is closed. */
  readonly #open = new Map<Client, Promise<void> | undefined>()

  private constructor(driver: Driver<Client>, timeout: number, onError: (error: unknown) => void, openingTime: number) {
    this.#driver = driver
    this.#timeout = timeout
    this.#openingTime = openingTime
    this.#onError = onError
  }

  /**
   * Opens the first client, and resolves to a `KeptClient` with this client.
   *
   * @param timeout - how long each step may take, in milliseconds.
   * @param openingTime - how long the first check of a client may take, in milliseconds. A pool connects during this check.
   */
  static async open<Client extends object>(
    driver: Driver<Client>,
    timeout: number,
    onError: (error: unknown) => void,
    openingTime = timeout,
  ): Promise<KeptClient<Client>> {
    const kept = new KeptClient(driver, timeout, onError, openingTime)
    try {
      kept.#client = await kept.#openClient()
    } catch (error) {
      await kept.close()
      throw error
    }
    return kept
  }

  /** Returns the present client. Throws if the store is closed. */
  get client(): Client {
    if (this.#isClosed || this.#client === undefined) {
      throw new Error('The nonce store is closed. Connect a new one, or close it after the last request.')
    }
    return this.#client
  }

  async #openClient(): Promise<Client> {
    let background: unknown
    const client = this.#driver.create((error) => {
      background = error
      if (!this.#isClosed) this.#onError(error)
    })
    this.#open.set(client, undefined)
    try {
      await this.#inTime(this.#driver.connect(client))
      await this.#inTime(this.#driver.check(client), this.#openingTime)
      return client
    } catch (error) {
      this.#end(client)
      throw connectFailure(error, background)
    }
  }

  #inTime<T>(answer: Promise<T>, milliseconds = this.#timeout): Promise<T> {
    return within(milliseconds, answer, `The server did not answer within ${milliseconds} ms.`)
  }

  /**
   * Replaces `client` by a new client as soon as one works. Until then, `client` stays in use.
   *
   * @returns the client that works. The promise waits for this client as long as the store is open.
   * @throws if no client has worked for longer than `timeout`. A shorter outage, such as a restart, only costs time.
   */
  async replace(client: Client, reason: unknown): Promise<Client> {
    if (client === this.#client && this.#replacement === undefined && !this.#isClosed) {
      this.#onError(reason)
      this.#replacement = this.#openNext(client)
    }
    await this.#replacement
    return this.client
  }

  #openNext(old: Client): Promise<void> {
    return new Promise((resolve, reject) => void this.#tryUntilOpen(old, reject).then(resolve))
  }

  /**
   * Opens new clients until one works, and then closes `old`.
   *
   * @param giveUp - is called with the error of each attempt after no client has worked for longer than `timeout`.
   */
  async #tryUntilOpen(old: Client, giveUp: (error: unknown) => void): Promise<void> {
    const start = performance.now()
    while (!this.#isClosed) {
      try {
        this.#client = await this.#openClient()
        // The old client is closed later, because commands that it has sent may still be answered.
        startTimer(this.#timeout, () => this.#end(old), { ref: false })
        this.#driver.replaced?.()
        break
      } catch (error) {
        this.#onError(error)
        if (performance.now() - start > this.#timeout) giveUp(error)
        await pause(RETRY_INTERVAL, { ref: false })
      }
    }
    this.#replacement = undefined
  }

  /** Checks the client every `interval` milliseconds. */
  async watch(interval: number): Promise<void> {
    for (;;) {
      await pause(interval, { ref: false })
      const client = this.#client
      if (this.#isClosed || client === undefined) return
      await this.#inTime(this.#driver.check(client)).catch((error: unknown) =>
        this.replace(client, error).catch(() => {}),
      )
    }
  }

  /** Closes a client once. Returns a promise that settles even if closing fails, or `undefined` if the client is already closed. */
  #end(client: Client): Promise<void> | undefined {
    if (this.#open.has(client) && this.#open.get(client) === undefined) {
      const closed = within(2 * this.#timeout, this.#driver.close(client), 'A client could not be closed in time.')
        .then(() => {}, this.#onError)
        .finally(() => this.#open.delete(client))
      this.#open.set(client, closed)
    }
    return this.#open.get(client)
  }

  /** Closes all clients, also those that are being opened or replaced. */
  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all([...this.#open.keys()].map((client) => this.#end(client)))
  }
}
