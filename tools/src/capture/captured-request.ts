import type { Arrival } from './arrival.js'
import type { Header } from './headers.js'

/**
 * What confirms the bytes of a body, which depends on the form of the body in the capture:
 * - `exact`: the form loses no byte, as base64 or a JSON string. Without a length, no change is undone
 * - `text`: a tool may have changed the text, so the right length confirms it
 * - `lossy`: bytes are missing, or a dot can stand for any other byte. The length may be right by chance
 * - `rewritten`: the JSON was written again, or the body was decompressed. Only the signature confirms it
 */
export type Certainty = 'exact' | 'text' | 'lossy' | 'rewritten'

export interface PossibleBody {
  readonly body: Uint8Array
  /** If it is absent, the body is `text`. */
  readonly certainty?: Certainty | undefined
}

export interface CapturedRequest extends Omit<PossibleBody, 'body'> {
  /** The headers. `:method` and `:path` come first, and are the request line. */
  readonly headers: readonly Header[]
  /** The body, or `undefined` if the capture has no body. For example, `curl -v` prints only headers. */
  readonly body: Uint8Array | undefined
  /** Why there is no body. The text ends a sentence that begins with "The capture", and is "has no body" by default. */
  readonly whyNoBody?: string | undefined
  /** Whether the capture is HTTP text. In HTTP text, the body may be in chunks, or have a newline that an editor added. */
  readonly isHttpText?: boolean
  /** The length of the body as `captureRequest` wrote it. A body with this length is complete, and not in chunks. */
  readonly bodyLength?: number | undefined
  /** Other texts that may be the body. For example, in `"body": { "text": "…" }`, the body may be the object or the text inside. */
  readonly otherBodies?: readonly PossibleBody[]
  /** Whether the body is a guess, which is used only if its length or the signature is right. */
  readonly isGuess?: boolean | undefined
  /** Whether the headers were found in free text, so that a header can be incomplete. A right signature confirms the headers. */
  readonly isLoose?: boolean
  /** Whether the command is `curl -d @file`, which sends the file without its newlines. */
  readonly isFileJoined?: boolean
  /** When the request arrived, or `undefined` if the capture does not say when. */
  readonly arrival?: Arrival | undefined
  /** Remarks for the user, such as "The body was sent in chunks, which were joined." */
  readonly notes?: readonly string[]
}
