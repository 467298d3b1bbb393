import { fromLatin1, fromUtf8, latin1, withoutLineBreaks } from '../bytes.js'
import { jsonValue } from '../diagnose/json/parse.js'
import { countBytes } from '../text.js'
import { CaptureError } from './capture-error.js'
import type { CapturedRequest, Certainty, PossibleBody } from './captured-request.js'
import { decodeEscapes, decodeLiterals } from './escapes.js'
import { contentLengthOf, type Header, isChunked } from './headers.js'
import { isMasked } from './masked.js'
import { type RestoredBody, restoredBodies, undoneChanges } from './restored-body.js'

/**
 * Who may have changed the body. `arrived` means nobody: the bytes are those that arrived, for example because their length is right. `sent`
 * means that the user passed the file that was sent. `log` means the program that wrote a quoted form, and `capture` means any tool.
 */
export type BodyOrigin = 'arrived' | 'sent' | 'log' | 'capture'

export interface BodyRead extends PossibleBody {
  readonly origin: BodyOrigin
  /** The sender's file, if curl changed its bytes. For example, `curl -d @file` removes line breaks. */
  readonly original?: Uint8Array
  readonly notes: readonly string[]
  /** Why the body is surely not what arrived. The text ends the sentence "The capture does not hold the bytes that arrived: …". */
  readonly doubt?: string | undefined
  /** Why the body may be another part of the capture, unless its signature is explained. */
  readonly guess?: string | undefined
  /** The body that leads to the right signature after a change was undone, if no length confirms this body. */
  readonly signed?: RestoredBody | undefined
  /** Whether the headers were found in free text, so that they are wrong unless the signature is explained. */
  readonly isLoose?: boolean
  /** Other parts of the capture that may be the body. */
  readonly others?: readonly BodyRead[]
}

export type IsSigned = (body: Uint8Array) => boolean

const LF = 0x0a

/** The maximum number of bytes that are read as text, for example to find values that a log masked. */
const MAX_SEARCHED = 2 ** 20

/** The maximum number of bytes of all restored bodies together, so that a large capture takes at most a few seconds. */
const MAX_RESTORED = 2 ** 26

/** The maximum number of bodies to try. One search can take a second. */
const MAX_TRIED = 3

const isJson = (body: Uint8Array) => /^\s*[{[]/.test(textOf(body)) && jsonValue(textOf(body)) !== undefined

const textOf = (body: Uint8Array) => fromUtf8(body.subarray(0, MAX_SEARCHED))

/** Returns the body. If neither its length nor its signature is right, undoes changes that tools make, until the length is right. */
export function bodyOf(
  captured: CapturedRequest,
  headers: readonly Header[],
  isSigned: IsSigned = () => false,
  file?: Uint8Array,
): BodyRead {
  const length = captured.bodyLength ?? contentLengthOf(headers)
  if (file !== undefined) return readFile(file, length, captured)
  const readings = readingsOf(captured, headers, length)
  const { isGuess = false, isLoose = false } = captured
  const isMaskedBody = captured.bodyLength === undefined && readings.some(({ body }) => isMasked(textOf(body)))
  const isOfLength = ({ body, certainty }: Reading) =>
    body.length === length && certainty !== 'lossy' && certainty !== 'rewritten' && !isMaskedBody
  const complete = readings.find(isOfLength)
  // In free text, text of the right length can be the body by chance.
  if (complete !== undefined && (!isLoose || complete.certainty === 'exact' || isJson(complete.body))) {
    return captured.isHttpText === true && !isSigned(complete.body)
      ? revertSameLength(complete, isSigned)
      : { ...complete, origin: 'arrived' }
  }
  const found = readings.find(({ body }) => isSigned(body))
  if (found && (length === undefined ? changeOf(found) === undefined : found.body.length === length)) {
    const notes = found.certainty === 'rewritten' ? [...found.notes, PARSED] : found.notes
    return { ...found, notes, origin: writerOf(found) }
  }
  const [read] = readings as [Reading]
  const isExact = length === undefined && read.certainty === 'exact' && changeOf(read) === undefined
  const known = isMaskedBody || readings.some(({ certainty }) => certainty === 'lossy') ? undefined : length
  const { complete: undone, likely, signed } = isExact ? {} : restore(readings, known, isSigned, found)
  if (undone !== undefined) return undone
  const bodyRead = (reading: Reading): BodyRead => {
    const isOfLength = reading.body.length === length
    const isNewlineUnknown = captured.isHttpText === true && length === undefined && reading.body.at(-1) === LF
    const guess = guessOf(reading) ?? (isGuess ? 'no Content-Length confirms where its body ends' : undefined)
    const origin = isOfLength ? 'arrived' : writerOf(reading)
    const notes = isNewlineUnknown ? [...reading.notes, NEWLINE] : reading.notes
    return { ...reading, notes, origin, doubt: doubtOf(reading, length), guess, isLoose, signed }
  }
  const bodies = isLoose ? [...readings.filter(({ body }) => isJson(body)), ...readings] : readings
  const asRead = [...new Set(bodies)].map(bodyRead)
  const [first, ...others] = [
    // The length alone does not confirm this body, so it has the doubt of the body that was read.
    ...(likely ? [{ ...likely, guess: doubtOf(read, length) ?? doubtOf(likely, length), isLoose, signed }] : []),
    ...asRead,
  ].slice(0, MAX_TRIED)
  return { ...(first as BodyRead), others }
}

const writerOf = ({ certainty }: Reading): BodyOrigin => (certainty === 'exact' ? 'log' : 'capture')

export function assertBody(captured: CapturedRequest, headers: readonly Header[], file?: Uint8Array): void {
  if (file !== undefined || !lacksBody(captured, headers)) return
  const { whyNoBody = 'has no body' } = captured
  throw new CaptureError(`The capture ${whyNoBody}. Use --body-file PATH to pass the file that was sent.`)
}

export function lacksBody({ body, isHttpText }: CapturedRequest, headers: readonly Header[]): boolean {
  // If Content-Length is not 0, an empty body means that the capture has only the headers, as many logs do.
  return body === undefined || (isHttpText === true && body.length === 0 && Number(contentLengthOf(headers)) > 0)
}

/** One way to read the body from a capture. */
interface Reading extends PossibleBody {
  readonly notes: readonly string[]
}

/** Returns the parts of the capture that may be the body, the likeliest first. Changes that tools made are not undone yet. */
function readingsOf(captured: CapturedRequest, headers: readonly Header[], length?: number): Reading[] {
  assertBody(captured, headers)
  const { body = new Uint8Array(), bodyLength, isHttpText, certainty, otherBodies = [] } = captured
  const isInChunks = isHttpText && isChunked(headers) && CHUNK.test(fromLatin1(body.subarray(0, 999)))
  if (isInChunks) throw notTheBytes('its body is in chunks')
  const isOfText = isHttpText === true && certainty !== 'exact'
  const partsOf = (bodies: readonly PossibleBody[]): Reading[] => {
    const readings = bodies.flatMap((one): Reading[] => {
      if (!isOfText) return [{ ...one, notes: [] }]
      const label = LABEL.exec(fromLatin1(one.body.subarray(0, 200)))?.[0].length ?? 0
      const texts = label === 0 ? [one.body] : [one.body, one.body.subarray(label)]
      return texts
        .flatMap((text) => [...withoutTextAfter(text), text])
        .flatMap((text) => [...readQuoted(text), { ...one, body: text, notes: [] }])
    })
    if (length === undefined) return readings
    return [...readings, ...readings.flatMap((one) => cutBody(one, length, bodyLength === undefined))]
  }
  const read = partsOf([{ body, certainty }, ...otherBodies])
  if (certainty !== 'lossy') return read
  // ngrep prints CR as a dot, and a dot at the end of a line too.
  const printed = fromLatin1(body)
  const reread = printed.includes('.\n') ? [{ body: latin1(printed.replaceAll('.\n', '\r\n')), certainty }] : []
  const ofDots = read.map((one): Reading => ({ ...one, certainty: one.body.includes(DOT) ? certainty : 'text' }))
  return [...ofDots, ...partsOf(reread)]
}

const DOT = 0x2e

/** Matches the line before a chunk (RFC 9112, section 7.1). In a capture, a line can end with LF. */
const CHUNK = /^[0-9a-f]{1,8}[ \t]*(?:;.*)?\r?\n/i

/** Returns the body of a Python literal, or of text with escapes such as `\x22`, as nginx writes it. Returns an empty list for other text. */
function readQuoted(body: Uint8Array): Reading[] {
  const text = textOf(body)
  if (/^[\s(]{0,40}(?:b["']|')/.test(text)) {
    const decoded = decodeLiterals(text, text.search(/[^\s(]/))
    return decoded !== undefined && /^[\s)]*$/.test(text.slice(decoded.end))
      ? [{ body: decoded.bytes, certainty: 'exact', notes: [] }]
      : []
  }
  const isEscaped = /^[^\\]*(?:\\x[0-9a-f]{2}[^\\]*)+$/i.test(text)
  return isEscaped ? [{ body: decodeEscapes(text.trimEnd()), certainty: 'exact', notes: [] }] : []
}

/** Returns the bytes of the file that was sent. If curl removed line breaks, the sender may have signed `original`, the whole file. */
function readFile(file: Uint8Array, length: number | undefined, { isFileJoined }: CapturedRequest): BodyRead {
  const joined = withoutLineBreaks(file)
  const isJoined = joined.length !== file.length && (isFileJoined || length === joined.length)
  const note = `curl -d sent ${countBytes(joined.length)}: the file without its newlines. The file has ${countBytes(file.length)}.`
  const read = isJoined ? { body: joined, original: file, notes: [note] } : { body: file, notes: [] }
  return { ...read, origin: 'sent', doubt: length === undefined ? undefined : doubtOf(read, length) }
}

/** Returns the first `length` bytes of the body. Returns an empty list if the body does not seem to end there. */
function cutBody({ body, certainty }: Reading, length: number, isNoted: boolean): Reading[] {
  if (body.length <= length || certainty === 'exact' || certainty === 'rewritten') return []
  const cut = body.subarray(0, length)
  const after = fromLatin1(body.subarray(length, length + 3))
  const isNewline = body[length - 1] === LF || /^\r?\n/.test(after)
  // Indented JSON has many line breaks. At such a line break, the JSON is not complete, so the body does not end there.
  const beginsAsJson = /^\s*[{[]/.test(fromLatin1(cut.subarray(0, 100)))
  const isEnd = /^\r?\n$/.test(after) || (beginsAsJson ? jsonValue(fromUtf8(cut)) !== undefined : isNewline)
  if (!isEnd) return []
  const note = `Content-Length is ${length}, which excludes ${countBytes(body.length - length)} after the body.`
  return [{ body: cut, notes: isNoted ? [note] : [], certainty }]
}

/** Matches a line that cannot be part of the body, such as the first line of a response, or a line of a log. */
const TEXT_AFTER =
  /^[ \t]*(?:HTTP\/\d(?:\.\d)? \d{3}|\S+ \S+ \S+ \[\d\d\/\w{3}\/\d{4}[ :].*\] "|###|--> END|<-- \d{3}|<{8}|<> \d{4}-|--[0-9a-f]{8}-[A-Z]--|```|\{(?:code|noformat)\})/m

/** Matches a line such as `Body:` or `-----` between the headers and the body. */
const LABEL = /^\s*(?:--[\w-]+--|[-=]{3,}|(?:Request |Raw )?(?:Body|Payload):?)[ \t]*\r?\n/i

/** Cuts log text after the body. Returns the body without and with the white space before that text, or an empty list without log text. */
function withoutTextAfter(body: Uint8Array): Uint8Array[] {
  const text = fromLatin1(body)
  const index = text.search(TEXT_AFTER)
  if (index === -1) return []
  let end = index
  while (/\s/.test(text.charAt(end - 1))) end--
  return [body.subarray(0, end), body.subarray(0, index)]
}

/** Finds changes that keep the length: an editor exchanged tabs and spaces, or a mail program replaced spaces by newlines. */
function revertSameLength(read: Reading, isSigned: IsSigned): BodyRead {
  const text = read.body.length > MAX_SEARCHED ? '' : fromLatin1(read.body)
  if (!/^[{[]/.test(text)) return { ...read, origin: 'arrived' }
  const joined = text.replaceAll('\n', ' ')
  // Nobody sends a line break inside a JSON string.
  const isBroken = joined !== text && jsonValue(fromUtf8(read.body)) === undefined && jsonValue(joined) !== undefined
  const note = 'The capture broke the body into lines. Each newline was read as a space.'
  if (isBroken) return { body: latin1(joined), origin: 'capture', notes: [...read.notes, note] }
  const signed = [...undoneChanges(read.body)].find(({ body }) => isSigned(body))
  return { ...read, origin: 'arrived', signed }
}

/** U+FFFD in UTF-8, decoded as Latin-1. A decoder writes this character in place of bytes that are not UTF-8. */
const REPLACEMENT = '\xef\xbf\xbd'

/** Returns why the body is not what arrived although its signature is right: the capture has the body in another form. */
function changeOf({ body, certainty }: Reading): string | undefined {
  if (certainty === 'rewritten') return 'it has only a parsed or decompressed body'
  return certainty === 'exact' && fromLatin1(body.subarray(0, MAX_SEARCHED)).includes(REPLACEMENT)
    ? 'its body has U+FFFD in place of other bytes'
    : undefined
}

/** Undoes changes of tools. The length confirms `complete`, but not `likely`. No length confirms `signed`, which has the right signature. */
function restore(
  readings: readonly Reading[],
  length: number | undefined,
  isSigned: IsSigned,
  found: Reading | undefined,
): { complete?: BodyRead; likely?: BodyRead | undefined; signed?: RestoredBody | undefined } {
  let signed: RestoredBody | undefined = found && { what: 'has the body in another form', body: found.body }
  /** The first body of the right length for each certainty. */
  const first = new Map<Certainty | undefined, BodyRead>()
  for (const [restored, notes] of eachRestored(readings)) {
    const { what, ...possible } = restored
    const isOfLength = possible.body.length === length
    const read = (why: string): BodyRead => {
      const note = `The capture ${what}. This was undone, because ${why}.`
      return { ...possible, origin: 'arrived', notes: [...notes, note] }
    }
    if (signed === undefined && isSigned(possible.body)) {
      signed = restored
      if (isOfLength) return { complete: read('the signature and the length are then right') }
    }
    if (!isOfLength || first.has(possible.certainty)) continue
    first.set(possible.certainty, read(`the body then has the ${countBytes(length)} of Content-Length`))
  }
  const likely = first.get('rewritten')
  const complete = first.get(undefined) ?? (likely === undefined ? signed && first.get('lossy') : undefined)
  return complete === undefined ? { likely, signed } : { complete: { ...complete, signed } }
}

/** Yields all restored bodies, each with the notes of its reading, until they have `MAX_RESTORED` bytes together. */
function* eachRestored(readings: readonly Reading[]): Generator<[RestoredBody, Reading['notes']]> {
  let size = 0
  for (const { body, notes } of readings) {
    for (const restored of restoredBodies(body)) {
      size += restored.body.length
      if (size > MAX_RESTORED) return
      yield [restored, notes]
    }
  }
}

const PARSED =
  'The capture has a parsed body, so diagnose serialized the body to JSON. The signature is valid for this JSON.'

const NEWLINE = 'Without Content-Length, the newline after the body was read as part of the body.'

/** Match the end of a body that a log or a tool cut: `…`, `...` or `12 more bytes`. */
const CUT = /(?:…|\.\.\.|\btruncated\b|\bhidden\)|\d ?k?B more)\W{0,3}$/i
const CUT_BY_NODE = /\b\d+ more (?:items?|characters?|bytes?)\b\W{0,9}$/

/** Returns why a part of the body may be text of the log, or `undefined`. An explained signature confirms that it is not. */
function guessOf({ body, certainty }: Reading): string | undefined {
  if (isMasked(textOf(body))) return 'the log masked a part of the body'
  return certainty === 'lossy' ? 'a dot can stand for any other byte' : undefined
}

/** Returns why the body is surely not what arrived, or `undefined` if it may be. */
function doubtOf(reading: Reading, length: number | undefined): string | undefined {
  const { body } = reading
  const end = fromUtf8(body.subarray(-60))
  if (body.length !== length && CUT_BY_NODE.test(end)) return 'console.log of Node cut the body'
  if (length === undefined && CUT.test(end)) return 'the body was cut'
  if (length === undefined || body.length === length) return changeOf(reading)
  return guessOf(reading) ?? `Content-Length is ${length}, but its body has ${countBytes(body.length)}`
}

export function notTheBytes(doubt: string): CaptureError {
  return new CaptureError(
    `The capture does not hold the bytes that arrived: ${doubt}. Record the request with listen or captureRequest, or pass --header three times and --body-file.`,
  )
}
