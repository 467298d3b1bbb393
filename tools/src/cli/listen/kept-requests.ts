import type { Received } from './receiver.js'
import type { Report } from './report.js'

const MAX_REQUESTS = 500
/** The maximum number of bytes in all bodies and signed messages. */
const MAX_BYTES = 64 * 2 ** 20

export interface Kept {
  readonly id: number
  readonly report: Report
  /** Absent if the request did not arrive completely, or if newer requests needed the memory. */
  readonly received?: Received | undefined
}

/** Keeps the newest 500 requests. If the bodies need more than 64 MiB, only the reports of the oldest requests are kept. */
export class KeptRequests {
  readonly #kept = new Map<number, Kept>()
  #last = 0
  #bytes = 0

  add(report: Report, received: Received | undefined): Kept {
    const kept = { id: ++this.#last, report, received: received && copyOf(received) }
    this.#kept.set(kept.id, kept)
    this.#bytes += bytesOf(kept)
    const first = this.#kept.get(this.#last - MAX_REQUESTS)
    if (first !== undefined) {
      this.#bytes -= bytesOf(first)
      this.#kept.delete(first.id)
    }
    for (const { received, ...rest } of this.#kept.values()) {
      if (this.#bytes <= MAX_BYTES) break
      this.#bytes -= bytesOf({ received })
      this.#kept.set(rest.id, rest)
    }
    return kept
  }

  list(): readonly Kept[] {
    return [...this.#kept.values()]
  }

  get(id: number): Kept | undefined {
    return this.#kept.get(id)
  }
}

/** Returns a copy, because a small body is often a part of a large buffer, which would stay in memory with the body. */
function copyOf(received: Received): Received {
  return { ...received, body: new Uint8Array(received.body) }
}

function bytesOf({ received }: Pick<Kept, 'received'>): number {
  return (received?.body.length ?? 0) + (received?.signedMessage?.length ?? 0)
}
