import { createReadStream } from 'node:fs'
import type { Surroundings } from '../command.js'
import { quoted } from '../output/printable.js'
import { codeOf, UsageError } from '../usage-error.js'

/** The most bytes of a body, or of a captured request. */
export const MOST_BYTES = 64 * 2 ** 20

const CAUSES: { readonly [code: string]: string } = {
  ENOENT: 'no such file',
  EISDIR: 'it is a folder: pass a file in it',
  EACCES: 'no permission to read it',
  ENOTDIR: 'a part of its path is no folder',
}

/**
 * The bytes of a file, of standard input for `-`, or of what is piped in where no name is given.
 *
 * @param what - what is read, for a message: `the body`.
 * @param source - what the path is called in a message, where it must not be shown: a secret may have been typed in its place.
 */
export async function readInput(
  path: string | undefined,
  what: string,
  { stdin }: Surroundings,
  { mostBytes = MOST_BYTES, source }: { readonly mostBytes?: number; readonly source?: string } = {},
): Promise<Buffer> {
  if (path === undefined && stdin.isTTY === true) {
    throw new UsageError(`${what} is missing: name its file, pipe it in, or pass - to type it`)
  }
  try {
    return await bytesOf(path === undefined || path === '-' ? stdin : createReadStream(path), what, mostBytes)
  } catch (error) {
    if (error instanceof UsageError) throw error
    const cause = CAUSES[codeOf(error)] ?? codeOf(error)
    const from = source ?? (path === undefined || path === '-' ? 'standard input' : quoted(path))
    throw new UsageError(`cannot read ${what} from ${from}: ${cause}`)
  }
}

async function bytesOf(chunks: AsyncIterable<unknown>, what: string, mostBytes: number): Promise<Buffer> {
  const kept: Buffer[] = []
  let size = 0
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk as Uint8Array)
    size += bytes.length
    if (size > mostBytes) throw new UsageError(`${what} is larger than ${inWords(mostBytes)}, the most that is read`)
    kept.push(bytes)
  }
  return Buffer.concat(kept)
}

function inWords(bytes: number): string {
  return bytes % 2 ** 20 === 0 ? `${bytes / 2 ** 20} MiB` : `${bytes / 2 ** 10} KiB`
}
