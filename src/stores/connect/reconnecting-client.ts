import { pause, within } from '../with-timeout.js'
import { connectFailure } from './failure.js'
import { Sockets } from './sockets.js'

/** Milliseconds between two attempts to replace a client. */
const RETRY_INTERVAL = 100

/** The functions that differ between the kinds of clients of a {@link ReconnectingClient}. */
export interface Driver<Client> {
  /**
   * Returns a new client that is not connected yet.
   *
   * @param onError - is called with each error of this client in the background.
   * @param sockets - creates the sockets of a client that accepts sockets from outside. These sockets are destroyed when the client is
   * closed.
   */
  create(onError: (error: unknown) => void, sockets: Sockets): Client
  /** Connects a new client. A pool has no `connect`, because its first statement connects it. */
  connect?(client: Client): Promise<unknown>
  /** Checks a client. Rejects if this client cannot reserve now, but a new client might. */
  check(client: Client): Promise<unknown>
  /** Ends all connections of a client, in every state of the client. A pool first waits for the responses to its statements. */
  close(client: Client): unknown
  /** Is called when a new working client has replaced another client. */
  replaced?(): void
}

interface Settings {
  /** The maximum time to connect, and the maximum time of a check, in milliseconds. */
  readonly timeout: number
  /** How long the first check of a client may take, in milliseconds: by default `timeout`. A pool connects during this check. */
  readonly openingTime?: number
  readonly onError: (error: unknown) => void
}

/**
 * Keeps one working client. If a check of the client fails, a new client replaces it. After a fault, some clients would otherwise wait
 * forever, keep a dead connection, or never settle `connect()`.
 */
export class ReconnectingClient<Client extends object> {
  readonly #driver: Driver<Client>
  readonly #settings: Settings
  #client: Client | undefined
  /** The current replacement, if there is one. Resolves when the new client works. Rejects if the server is down for too long. */
  #replacement: Promise<void> | undefined
  #isClosed = false
  /** The sockets of all clients that are not closed. */
  readonly #sockets = new Map<Client, Sockets>()
  /** The clients that are being closed, each with a promise that settles when the client is closed. */
  readonly #closing = new WeakMap<Client, Promise<void>>()

  constructor(driver: Driver<Client>, settings: Settings) {
    this.#driver = driver
    this.#settings = settings
  }

  /** Opens the first client. If that fails, closes the client, and ignores the client's later errors. */
  async open(): Promise<void> {
    try {
      this.#client = await this.#openClient()
    } catch (error) {
      await this.close()
      throw error
    }
  }

  /** Returns the present client. Throws if the store is closed. */
  get client(): Client {
    if (this.#isClosed || this.#client === undefined) {
      throw new Error('The nonce store is closed. Connect a new store, or close the store after the last request.')
    }
    return this.#client
  }

  async #openClient(): Promise<Client> {
    const { timeout, openingTime = timeout, onError } = this.#settings
    const sockets = new Sockets()
    let background: unknown
    const client = this.#driver.create((error) => {
      background = error
      if (!this.#isClosed) onError(error)
    }, sockets)
    this.#sockets.set(client, sockets)
    try {
      await this.#inTime(timeout, this.#driver.connect?.(client))
      await this.#inTime(openingTime, this.#driver.check(client))
      return client
    } catch (error) {
      void this.#close(client)
      throw connectFailure(error, background)
    }
  }

  #inTime(milliseconds: number, step: Promise<unknown> | undefined): Promise<unknown> {
    return within(milliseconds, step, `The server did not respond within ${milliseconds} ms.`)
  }

  /**
   * Replaces `client` with a new client as soon as a new client works. Until then, `client` stays in use.
   *
   * @returns the new client. The promise waits for a working client as long as the store is open.
   * @throws if no client has worked for longer than the time-out. During a shorter outage, such as a restart, the promise waits.
   */
  async replace(client: Client, reason: unknown): Promise<Client> {
    if (client === this.#client && this.#replacement === undefined && !this.#isClosed) {
      this.#settings.onError(reason)
      this.#replacement = new Promise((resolve, reject) => void this.#tryUntilOpen(client, reject).then(resolve))
    }
    await this.#replacement
    return this.client
  }

  /**
   * Opens new clients until a client works, and then closes `old`.
   *
   * @param giveUp - is called with the error of each attempt, once no client has worked for longer than the time-out.
   */
  async #tryUntilOpen(old: Client, giveUp: (error: unknown) => void): Promise<void> {
    const { timeout, onError } = this.#settings
    const start = performance.now()
    while (!this.#isClosed) {
      try {
        this.#client = await this.#openClient()
        // The old client is closed now, because its idle connections count against the server's limit of connections.
        void this.#close(old)
        this.#driver.replaced?.()
        break
      } catch (error) {
        onError(error)
        if (performance.now() - start > timeout) giveUp(error)
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
      await this.#inTime(this.#settings.timeout, this.#driver.check(client)).catch((error: unknown) =>
        this.replace(client, error).catch(() => {}),
      )
    }
  }

  /** Closes a client once. The promise never rejects, and settles even if closing the client fails. */
  #close(client: Client): Promise<void> {
    const closing = this.#closing.get(client) ?? this.#closeNow(client)
    this.#closing.set(client, closing)
    return closing
  }

  async #closeNow(client: Client): Promise<void> {
    try {
      const closed = Promise.resolve(this.#driver.close(client))
      await within(2 * this.#settings.timeout, closed, 'A client could not be closed in time.')
    } catch (error) {
      this.#settings.onError(error)
    }
    this.#sockets.get(client)?.destroy()
    this.#sockets.delete(client)
  }

  /** Closes all clients, including clients that are being opened or replaced. */
  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all([...this.#sockets.keys()].map((client) => this.#close(client)))
  }
}
