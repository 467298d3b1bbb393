import { connect, Socket } from 'node:net'

/** Where a server listens: at a port of a host, or at the path of a Unix socket. */
export type Address = { path: string } | { host: string; port: number }

/**
 * The sockets that this package creates for a client. After a fault, some clients only end their own side of a connection. If the server
 * hangs, the socket would then keep the process running.
 */
export class Sockets {
  readonly #open = new Set<Socket>()
  #isDestroyed = false

  /** Returns a socket that is not connected. */
  create(): Socket {
    return this.#add(new Socket())
  }

  /** Returns a socket that is being connected. */
  connect(address: Address): Socket {
    return this.#add('path' in address ? connect(address.path) : connect(address.port, address.host))
  }

  #add(socket: Socket): Socket {
    // Some clients create one more socket after they were ended, so that socket is destroyed too.
    if (this.#isDestroyed) return socket.destroy()
    this.#open.add(socket)
    socket.once('close', () => this.#open.delete(socket))
    return socket.setKeepAlive(true).setNoDelay(true)
  }

  /** Destroys all open sockets. A socket that is created later is destroyed at once. */
  destroy(): void {
    this.#isDestroyed = true
    for (const socket of this.#open) socket.destroy()
  }
}
