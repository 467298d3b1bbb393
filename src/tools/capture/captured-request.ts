import type { Arrival } from './arrival.js'
import type { Header } from './headers.js'

/** A captured request, as read. */
export interface CapturedRequest {
  /** Method and target are the pseudo-headers `:method` and `:path`, as in HTTP/2. A sender may have signed them. */
  readonly headers: readonly Header[]
  /** The body, or `undefined` if the capture has none, such as the output of `curl -v`. */
  readonly body: Uint8Array | undefined
  /** Why there is no body, after "The capture". By default it "has no body". */
  readonly whyNoBody?: string | undefined
  /** Whether the body was copied from HTTP text. Then it may be in chunks, or an editor may have added a line end. */
  readonly isHttpText?: boolean
  /** The length of the body that `captureRequest` wrote. It has no chunks. */
  readonly bodyLength?: number | undefined
  /** Whether the sender removed the line breaks of a file, as `curl -d @file` does. */
  readonly isFileJoined?: boolean
  /** When it arrived, or `undefined` if the capture does not say it. */
  readonly arrival?: Arrival | undefined
  /** Remarks on how it was read. */
  readonly notes?: readonly string[]
}
