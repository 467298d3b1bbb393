import { connect, Socket } from 'node:net'

/** Where a server listens: at a port of a host, or at the path of a Unix socket. */
export type Address = { path: string } | { host: string; port: number }

/** What a socket had received and sent at the last check, in bytes. */
interface Traffic {
  received: number
  sent: number
  /** Whether the socket has sent something since it last received something. */
  isWaiting: boolean
  /** When the socket last received something, or sent something after that. */
  silentSince: number
}

/** How often the traffic is checked during one time-out. */
const CHECKS = 10

/**
 * The sockets that this package creates for a client. After a fault, some clients only end their side of a connection.
 * The socket of a server that hangs would then keep the process running.
 */
export class Sockets {
  readonly #open = new Map<Socket, Traffic>()
  /** How long a connection may leave a statement without an answer, in milliseconds. */
  readonly #timeout: number
  #timer: ReturnType<typeof setInterval> | undefined
  #isDestroyed = false

  constructor(timeout: number) {
    this.#timeout = timeout
  }

  /** Returns a socket that is not connected. */
  create(): Socket {
    return this.#add(new Socket())
  }

  /** Returns a socket that is being connected. */
  connect(address: Address): Socket {
    return this.#add('path' in address ? connect(address.path) : connect(address.port, address.host))
  }

  #add(socket: Socket): Socket {
    // A client that is ended may still connect again once.
    if (this.#isDestroyed) return socket.destroy()
    this.#open.set(socket, { received: 0, sent: 0, isWaiting: false, silentSince: performance.now() })
    socket.once('close', () => this.#open.delete(socket))
    this.#timer ??= setInterval(() => this.#observe(), this.#timeout / CHECKS).unref()
    return socket.setKeepAlive(true).setNoDelay(true)
  }

  /** Reads the byte counters of each socket, because TLS consumes the events of the socket that it wraps. */
  #observe(): void {
    const now = performance.now()
    for (const [socket, traffic] of this.#open) {
      const hasReceived = socket.bytesRead !== traffic.received
      const hasSent = socket.bytesWritten !== traffic.sent
      if (hasReceived || (hasSent && !traffic.isWaiting)) traffic.silentSince = now
      traffic.isWaiting = !hasReceived && (hasSent || traffic.isWaiting)
      traffic.received = socket.bytesRead
      traffic.sent = socket.bytesWritten
    }
  }

  /**
   * Destroys the sockets that have received nothing for the whole time-out. Call this method when a statement gets no
   * answer: a firewall that has forgotten one connection may have forgotten the idle ones too, and each would cost another statement.
   */
  destroySilent(): void {
    this.#observe()
    const limit = performance.now() - this.#timeout * (1 - 2 / CHECKS)
    for (const [socket, { received, silentSince }] of this.#open) {
      // A socket that has never received anything is being opened, and has a time-out of its own.
      if (received > 0 && silentSince < limit) socket.destroy()
    }
  }

  /** Destroys all sockets, and those that are created later. */
  destroy(): void {
    this.#isDestroyed = true
    clearInterval(this.#timer)
    for (const socket of this.#open.keys()) socket.destroy()
  }
}
