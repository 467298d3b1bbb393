import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../test/support/built.js'
import { pathsBelow } from '../../test/support/files.js'

/** The fixed texts of `diagnose` and the command line. They may contain a piece of any secret by chance. */
const SOURCES = ['tools/src/diagnose', 'tools/src/cli']
  .flatMap((folder) => pathsBelow(join(ROOT, folder)).map((name) => join(ROOT, folder, name)))
  .filter((path) => path.endsWith('.ts'))
  .map((path) => readFileSync(path, 'utf8'))
  .join('\n')

/** The number of characters in a row that count as a leak. */
const LENGTH = 4

/** Returns all pieces of a secret, from each byte on: plain, in hex and in base64. */
function piecesOf(secret: string): Set<string> {
  const bytes = Buffer.from(secret)
  const written = [secret, bytes.toString('hex'), ...[0, 1, 2].map((from) => bytes.toString('base64', from))]
  return new Set(
    written.flatMap((text) =>
      Array.from({ length: Math.max(0, text.length - LENGTH + 1) }, (_, index) => text.slice(index, index + LENGTH)),
    ),
  )
}

/**
 * Finds pieces of a secret in what was printed.
 *
 * @param anyway - text that may be printed with any secret, such as the request.
 */
export function findLeaks(printed: string, secret: string, anyway: string): string[] {
  const isAllowed = (piece: string) => SOURCES.includes(piece) || anyway.includes(piece)
  return [...piecesOf(secret)].filter((piece) => printed.includes(piece) && !isAllowed(piece))
}
