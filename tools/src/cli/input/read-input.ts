import { createReadStream } from 'node:fs'
import { type Context, quote, UsageError } from '../command.js'
import { describeError } from '../describe-error.js'

const MAX_BYTES = 64 * 2 ** 20

/** Reads a file, or standard input if the path is `-` or missing. `what` is the name of the input for messages, such as `the body`. */
export async function readInput(path: string | undefined, what: string, { stdin }: Context): Promise<Buffer> {
  if (path === undefined && stdin.isTTY === true) {
    throw new UsageError(`Missing ${what}. Pass a file, pipe the input in, or pass - to type the input.`)
  }
  const isStdin = path === undefined || path === '-'
  if (isStdin && stdin.readableEnded) {
    throw new UsageError(
      `Cannot read ${what} from standard input, because standard input was already read. Save one of the inputs to a file.`,
    )
  }
  // `quote` does not show a path without an extension, because it may be a secret that was passed by mistake.
  const from = `Cannot read ${what}${isStdin ? ' from standard input' : quote(path)}`
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of isStdin ? stdin : createReadStream(path)) {
      chunks.push(Buffer.from(chunk))
      size += chunk.length
      if (size > MAX_BYTES) break
    }
  } catch (error) {
    throw new UsageError(`${from}: ${describeError(error)}.`)
  }
  if (size > MAX_BYTES) throw new UsageError(`${from}: the input is larger than ${MAX_BYTES / 2 ** 20} MiB.`)
  return Buffer.concat(chunks)
}
