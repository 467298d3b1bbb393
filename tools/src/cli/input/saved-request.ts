import { bodyOf, lacksBody, notTheBytes } from '../../capture/body.js'
import { type Header, isOfConnection, valuesOf } from '../../capture/headers.js'
import { readCapture } from '../../capture/read-capture.js'
import { type Call, type Context, type Options, UsageError } from '../command.js'
import { readInput } from './read-input.js'

export const SAVED_OPTIONS = {
  request: {
    value: 'FILE',
    help: 'sends a saved request again, unchanged, instead of a body. listen --save and captureRequest save requests',
  },
  resign: {
    help: 'signs the saved request again, with the time now and a new nonce, or the same webhook-id. Without --scheme, the scheme stays the same',
  },
} as const satisfies Options

/** A saved request, without headers such as `Connection`, which were only for the connection of the original request. */
export interface SavedRequest {
  readonly method: string
  readonly headers: readonly Header[]
  readonly body: Uint8Array
  readonly notes: readonly string[]
}

export async function readSaved(
  { values, operands }: Call<typeof SAVED_OPTIONS>,
  context: Context,
): Promise<SavedRequest | undefined> {
  const { request: path, resign = false } = values
  if (path === undefined) {
    if (resign) throw new UsageError('--resign needs a saved request. Pass --request FILE too.')
    return undefined
  }
  if (operands.length > 1) throw new UsageError('The file of --request contains the body. Pass no other file.')
  const captured = readCapture(await readInput(path, 'the saved request', context))
  if (lacksBody(captured, captured.headers)) {
    throw new UsageError(
      'The file of --request has no body, so it cannot be sent. Save the request with listen --save or captureRequest.',
    )
  }
  const { body, notes, ...read } = bodyOf(captured, captured.headers)
  const doubt = read.doubt ?? (read.certainty === 'rewritten' ? read.guess : undefined)
  if (doubt !== undefined) throw notTheBytes(doubt)
  const [method = 'POST'] = valuesOf(captured.headers, ':method')
  // `:path` and `Host` are left out too, because the URL of the endpoint replaces them.
  const headers = captured.headers.filter(([name]) => !isOfConnection(name) && !/^(:.*|host)$/i.test(name))
  return { method, headers, body, notes: [...(captured.notes ?? []), ...notes] }
}
