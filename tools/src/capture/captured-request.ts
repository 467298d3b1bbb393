import type { Arrival } from './arrival.js'
import type { Header } from './headers.js'

/** A request that was read from a capture. */
export interface CapturedRequest {
  /** Includes `:method` and `:path`, as in HTTP/2, because a sender may have signed them. */
  readonly headers: readonly Header[]
  /** The body, or `undefined` if the capture has none, such as the output of `curl -v`. */
  readonly body: Uint8Array | undefined
  /** Why there is no body, as the end of the sentence "The capture …". By default, "has no body". */
  readonly whyNoBody?: string | undefined
  /** Whether the body was copied from HTTP text. A copied body may be in chunks, or an editor may have added a newline. */
  readonly isHttpText?: boolean
  /** The length of the body, if the capture states the length. A body with a stated length is not in chunks. */
  readonly bodyLength?: number | undefined
  /** Other texts of the capture that may be the body, such as a field of an object with the name `body`. */
  readonly otherBodies?: readonly Uint8Array[]
  /** Whether the body was parsed and then written as JSON again. */
  readonly isParsed?: boolean | undefined
  /** Whether the body is a guess, which only the right length or the right signature confirms. */
  readonly isGuess?: boolean | undefined
  /** Whether the headers were found somewhere in a text. Then only a confirmed body shows that the headers are complete. */
  readonly isLoose?: boolean
  /** Whether a dot in the capture may stand for another byte, so that the length of the body confirms nothing. */
  readonly isLossy?: boolean
  /** Whether the capture has the exact bytes, for example in base64, so that no tool could change these bytes. */
  readonly isExact?: boolean | undefined
  /** Whether the sender removed the line breaks of a file, as `curl -d @file` does. */
  readonly isFileJoined?: boolean
  /** When the request arrived, or `undefined` if the capture does not say when. */
  readonly arrival?: Arrival | undefined
  /** Remarks on how the capture was read. */
  readonly notes?: readonly string[]
}
