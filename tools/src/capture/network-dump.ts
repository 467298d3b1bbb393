import { fromHex, fromUtf8, latin1 } from '../bytes.js'
import { unreadable } from './capture-error.js'
import type { PossibleBody } from './captured-request.js'
import { decodeEscapes } from './escapes.js'

// This file reads what ngrep, socat and tshark print: blocks of bytes, each below a line that says who sent them.

/** A line above a block of socat, with the direction and the length of the block. */
const SOCAT = /^([<>]) \d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d\.\d+ {1,4}length=(\d{1,9}) from=\d+ to=\d+$/
/** A line above a block of ngrep, with the direction of the block, and with text if ngrep prints each block on one line. */
const NGREP = /^T (?:\d{4}\/\d\d\/\d\d [\d:.]+ )?(\S+ -> \S+) \[[A-Z]+\](?: #\d+)?( ?.*)$/

/** Match the hex at the beginning of a line. The same bytes can follow as text, after at least two spaces. */
const SOCAT_HEX = /^ ((?:[0-9a-f]{2} ?)+)(?: |$)/
const NGREP_HEX = /^ {2}((?:[0-9a-f]{2} ?){1,8}(?: {3}(?:[0-9a-f]{2} ?){1,8})?) {3}/

/** Returns the bytes of the first request in the output of a network tool, or `undefined` for other text. */
export function readNetworkDump(text: string): PossibleBody | undefined {
  if (/^Follow: tcp,raw$/m.test(text)) return joinHex(text.split(/\r?\n/), /^([0-9a-f]+)$/)
  const lines = text.split('\n')
  const heading = [SOCAT, NGREP].find((one) => lines.some((line) => one.test(line)))
  if (heading === undefined) return undefined
  let [printed, direction, length] = ['', '', 0]
  for (const line of lines) {
    // socat prints no newline after a block, so the next heading can follow on the same line.
    const [, before = '', last = line] = /^(.*?)([<>] \d{4}\/\d\d\/\d\d .*)$/.exec(line) ?? []
    const [, next, detail = ''] = heading.exec(last) ?? []
    if (next === undefined) {
      if (direction !== '') printed += `${line}\n`
      continue
    }
    if (direction !== '' && heading === SOCAT) printed += before
    if (direction !== '' && next !== direction) break
    direction = next
    length += Number(detail)
    if (heading === NGREP && detail !== '') throw unreadable(NO_NEWLINES)
  }
  const hex = joinHex(printed.split('\n'), heading === SOCAT ? SOCAT_HEX : NGREP_HEX)
  if (hex !== undefined) return hex
  if (heading === SOCAT) {
    return { body: decodeEscapes(fromUtf8(latin1(printed))).subarray(0, length), certainty: 'lossy' }
  }
  if (/^ {2}\S/.test(printed)) throw unreadable(NO_NEWLINES)
  // ngrep prints CR as a dot. In the head, each line ends with CR.
  const end = printed.indexOf('\n.\n')
  const head = printed.slice(0, end).replace(/\.$/gm, '')
  return { body: latin1(`${head}\n\n${printed.slice(end + 3)}`), certainty: 'lossy' }
}

const NO_NEWLINES = 'is the output of ngrep with a dot in place of each newline. Use ngrep -x, which prints the bytes'

/** Returns the bytes of lines that begin with hex, or `undefined` if a line does not. */
function joinHex(lines: readonly string[], pattern: RegExp): PossibleBody | undefined {
  let hex = ''
  for (const line of lines) {
    const digits = pattern.exec(line)?.[1]?.replaceAll(' ', '')
    if (digits !== undefined) hex += digits
    else if (hex !== '') break
  }
  const body = fromHex(hex)
  return body && { body, certainty: 'exact' }
}
