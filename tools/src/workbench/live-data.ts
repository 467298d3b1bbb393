import type { CheckReport } from './report.js'

// `listen --page` sends these data to the page. Each piece of the secret in them is masked.

export interface Hello {
  /** The address that receives the webhooks: `http://127.0.0.1:4000`. */
  readonly listening: string
  readonly endpoint?: string | undefined
  readonly language?: string | undefined
  readonly requests: readonly Summary[]
}

/** One request in the list of requests. Long texts are shortened. */
export interface Summary {
  readonly id: number
  /** When the whole request had arrived, in milliseconds since the Unix epoch. */
  readonly time: number
  readonly method: string
  readonly path: string
  readonly status: number
  readonly ok: boolean
  readonly reason?: string | undefined
  readonly detail: string
  /** The message of the first finding. If there is no finding, the first of the `differences`. */
  readonly finding?: string | undefined
  readonly agent: string
}

/** Everything that the page shows about one request. In JSON, `Bytes` is a base64 string. */
export interface Details<Bytes> {
  readonly summary: Summary
  /** The status of the endpoint's response, or 0 if there was none. */
  readonly forwarded?: { readonly status: number } | undefined
  readonly differences: readonly string[]
  readonly savedAs?: string | undefined
  /** Absent if the request did not arrive completely, or if newer requests needed the memory. */
  readonly report?: Omit<CheckReport, 'body' | 'signedMessage'> & {
    readonly body: Bytes
    readonly signedMessage?: Bytes | undefined
  }
}

export interface EndpointResponse {
  readonly status: number
  readonly statusText: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: string
}
