import type { CheckReport } from './report.js'

// `listen --page` sends this data to the page, with every piece of the secret masked.

/** The first event: facts about the listener, and the requests that it has kept. */
export interface Hello {
  /** The address that receives requests: `http://127.0.0.1:4000`. */
  readonly listening: string
  readonly endpoint?: string | undefined
  readonly language?: string | undefined
  /** The requests that the listener has kept, the oldest first. */
  readonly requests: readonly Summary[]
}

/** A row of the list. Long texts are shortened. */
export interface Summary {
  /** The number of the request, counted from 1. */
  readonly id: number
  /** When the whole request had arrived, in milliseconds since the Unix epoch. */
  readonly time: number
  readonly method: string
  readonly path: string
  readonly status: number
  readonly ok: boolean
  readonly reason?: string | undefined
  readonly detail: string
  /** The message of the first finding or, without a finding, what differs at the endpoint. */
  readonly finding?: string | undefined
  readonly agent: string
}

/** Everything about one request. In JSON, bytes are in base64. */
export interface Details<Bytes> {
  readonly summary: Summary
  /** The status of the endpoint's response, or 0 if there was none. */
  readonly forwarded?: { readonly status: number } | undefined
  /** Why the endpoint may have decided differently from `listen`. */
  readonly differences: readonly string[]
  readonly savedAs?: string | undefined
  /** Absent if the request did not arrive completely, or if the bytes are no longer kept. */
  readonly report?: Omit<CheckReport, 'body' | 'signedMessage'> & {
    readonly body: Bytes
    readonly signedMessage?: Bytes | undefined
  }
}

/** The endpoint's response to a request that was signed and sent again. */
export interface EndpointResponse {
  readonly status: number
  readonly statusText: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: string
}
