import { createReadStream } from 'node:fs'
import { type Context, errorCode, UsageError } from '../command.js'

/** The largest body or captured request, in bytes. */
const MAX_BYTES = 64 * 2 ** 20

const FAILURES: { readonly [code: string]: string } = {
  ENOENT: 'no such file',
  EISDIR: 'it is a folder. Pass a file',
  EACCES: 'no permission to read it',
  ENOTDIR: 'a part of its path is not a folder',
}

/**
 * Reads a file, or standard input if the path is `-` or missing.
 *
 * @param what - the name of the input for messages: `the body`. Messages never show the path: it may be a secret.
 */
export async function readInput(
  path: string | undefined,
  what: string,
  { stdin }: Context,
  maxBytes = MAX_BYTES,
): Promise<Buffer> {
  if (path === undefined && stdin.isTTY === true) {
    throw new UsageError(`Missing ${what}. Pass its file, pipe it in, or pass - to type it.`)
  }
  const isStdin = path === undefined || path === '-'
  if (isStdin && stdin.readableEnded) {
    throw new UsageError(
      `Cannot read ${what} from standard input: it was already read. Save one of the inputs to a file.`,
    )
  }
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of isStdin ? stdin : createReadStream(path)) {
      chunks.push(Buffer.from(chunk))
      size += chunk.length
      if (size > maxBytes) break
    }
  } catch (error) {
    const failure = FAILURES[errorCode(error)] ?? errorCode(error)
    throw new UsageError(`Cannot read ${what}${isStdin ? ' from standard input' : ''}: ${failure}.`)
  }
  if (size > maxBytes) throw new UsageError(`Cannot read ${what}: it is larger than ${maxBytes / 2 ** 10} KiB.`)
  return Buffer.concat(chunks)
}
