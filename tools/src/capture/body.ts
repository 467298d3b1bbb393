import { fromLatin1, fromUtf8, latin1, withoutLineBreaks } from '../bytes.js'
import { jsonValue } from '../diagnose/json/parse.js'
import { countBytes } from '../text.js'
import { CaptureError } from './capture-error.js'
import type { CapturedRequest } from './captured-request.js'
import { contentLengthOf, type Header, isChunked } from './headers.js'
import { isMasked } from './masked.js'
import { type RestoredBody, restoredBodies, restoredNewline } from './restored-body.js'

/** The body of a captured request. */
export interface BodyRead {
  readonly body: Uint8Array
  /** The sender's file, if curl changed its bytes. For example, `curl -d @file` removes line breaks. */
  readonly original?: Uint8Array
  readonly notes: readonly string[]
  /** Why the body may be wrong. The text ends the sentence "The capture does not hold the bytes that arrived: …". */
  readonly doubt?: string
  /** Set only if the headers were found in free text: the texts that may be the body, JSON texts first. */
  readonly looseBodies?: readonly Uint8Array[]
  /** Whether the body ends with a newline that an editor may have added. */
  readonly isNewlineUnknown?: boolean
}

/** Returns whether the signature of the request is right for a body. */
export type IsSigned = (body: Uint8Array) => boolean

const LF = 0x0a

/** The maximum number of bytes that are read as text, for example to find values that a log masked. */
const MAX_SEARCHED = 2 ** 20

/** The maximum number of bytes of all restored bodies together, so that a large capture takes at most a few seconds. */
const MAX_RESTORED = 2 ** 26

/** The maximum number of bodies to try if the headers were found in free text. One search can take a second. */
const MAX_LOOSE = 3

const isJson = (body: Uint8Array) => /^\s*[{[]/.test(textOf(body)) && jsonValue(textOf(body)) !== undefined

const textOf = (body: Uint8Array) => fromUtf8(body.subarray(0, MAX_SEARCHED))

/**
 * Returns the body of a capture. A body is confirmed if its length or its signature is right. If neither is right, this function undoes
 * changes that tools make, for example to the indentation of JSON, until a body is confirmed.
 *
 * @param file - the file of `--body-file`, which replaces the body of the capture.
 */
export function bodyOf(
  captured: CapturedRequest,
  headers: readonly Header[],
  isSigned: IsSigned = () => false,
  file?: Uint8Array,
): BodyRead {
  const length = captured.bodyLength ?? contentLengthOf(headers)
  const readings = file === undefined ? readingsOf(captured, headers, length) : readingsOfFile(file, length, captured)
  const { isGuess = false, isParsed = false, isLossy = false } = file === undefined ? captured : {}
  const isMaskedBody = captured.bodyLength === undefined && readings.some(({ body }) => isMasked(textOf(body)))
  const hasLength = ({ body }: Reading) => body.length === length && !isLossy && !isParsed && !isMaskedBody
  const confirmed = readings.find(({ isWhole }) => isWhole) ?? readings.find(hasLength)
  if (confirmed !== undefined) return captured.isHttpText === true ? revertSameLength(confirmed, isSigned) : confirmed
  const found = readings.find(({ body }) => isSigned(body))
  const signed = found && isParsed ? { ...found, notes: [...found.notes, PARSED] } : found
  const known = isLossy || isMaskedBody ? undefined : length
  if (signed !== undefined && (known === undefined || signed.body.length === known)) return signed
  const [read] = readings as [Reading]
  const restorations = file !== undefined ? restoredNewline : captured.isExact === true ? () => [] : restoredBodies
  const restored = restore(readings, restorations, known, isSigned, signed)
  if (restored !== undefined) return restored
  if (length === undefined && !isGuess && !isParsed && !isLossy && !isMaskedBody && !isCut(read.body)) {
    const isNewlineUnknown = captured.isHttpText === true && read.body.at(-1) === LF
    const note = 'Without Content-Length, the newline after the body was read as part of the body.'
    return isNewlineUnknown ? { ...read, notes: [...read.notes, note], isNewlineUnknown } : read
  }
  const doubt = doubtOf(read, length, isLossy, isParsed)
  if (file !== undefined || captured.isLoose !== true) return { ...read, doubt }
  const bodies = readings.map(({ body }) => body)
  return { ...read, doubt, looseBodies: [...bodies.filter(isJson), ...bodies].slice(0, MAX_LOOSE) }
}

/** Throws a `CaptureError` if there is no body. */
export function assertBody(
  { body, isHttpText, whyNoBody = 'has no body' }: CapturedRequest,
  headers: readonly Header[],
  file?: Uint8Array,
): void {
  // If Content-Length is not 0, an empty body means that the capture has only the headers, as many logs do.
  const isLeftOut = isHttpText && body?.length === 0 && Number(contentLengthOf(headers)) > 0
  if (file === undefined && (body === undefined || isLeftOut)) {
    throw new CaptureError(`The capture ${whyNoBody}. Use --body-file PATH to pass the file that was sent.`)
  }
}

/** One way to read the body from a capture. `isWhole` means that the chunks show where the body ends. */
interface Reading extends BodyRead {
  readonly isWhole?: boolean
}

/** Returns the parts of the capture that may be the body, the likeliest first. Changes that tools made are not undone yet. */
function readingsOf(captured: CapturedRequest, headers: readonly Header[], length?: number): Reading[] {
  assertBody(captured, headers)
  const { body = new Uint8Array(), bodyLength, isHttpText, otherBodies = [] } = captured
  if (isHttpText && isChunked(headers)) {
    const joined = joinChunks(body)
    if (joined !== undefined)
      return [{ body: joined, notes: ['The body was sent in chunks, which were joined.'], isWhole: true }]
    const note = 'Transfer-Encoding is chunked, but the body has no chunks. The body was read unchanged.'
    return [{ body, notes: [note] }]
  }
  const bodies = [body, ...otherBodies].flatMap((one) =>
    isHttpText ? [one, ...withoutLabel(one)].flatMap((text) => [...withoutTextAfter(text), text]) : [one],
  )
  const readings = bodies.map((one): Reading => ({ body: one, notes: [] }))
  if (length === undefined) return readings
  return [...readings, ...bodies.flatMap((one) => cutBody(one, length, bodyLength === undefined))]
}

/** Returns the bytes of a file that curl sent. If curl removed line breaks, the sender may have signed `original`, the whole file. */
function readingsOfFile(file: Uint8Array, length: number | undefined, { isFileJoined }: CapturedRequest): Reading[] {
  const joined = withoutLineBreaks(file)
  if (joined.length === file.length || (!isFileJoined && length !== joined.length)) return [{ body: file, notes: [] }]
  const note = `curl -d sent ${countBytes(joined.length)}: the file without its line breaks. The file has ${countBytes(file.length)}.`
  return [{ body: joined, original: file, notes: [note] }]
}

/** Returns the first `length` bytes of the body. Returns an empty list if the body does not seem to end there. */
function cutBody(body: Uint8Array, length: number, isNoted: boolean): Reading[] {
  if (body.length <= length) return []
  const cut = body.subarray(0, length)
  const after = fromLatin1(body.subarray(length, length + 3))
  const isNewline = body[length - 1] === LF || /^\r?\n/.test(after)
  // Indented JSON has many line breaks. At such a line break, the JSON is not complete, so the body does not end there.
  const beginsAsJson = /^\s*[{[]/.test(fromLatin1(cut.subarray(0, 100)))
  const isEnd = /^\r?\n$/.test(after) || (beginsAsJson ? jsonValue(fromUtf8(cut)) !== undefined : isNewline)
  if (!isEnd) return []
  const note = `Content-Length is ${length}, which excludes ${countBytes(body.length - length)} after the body.`
  return [{ body: cut, notes: isNoted ? [note] : [] }]
}

/** Matches a line that cannot be part of the body, such as the first line of a response, or a line of a log. */
const TEXT_AFTER =
  /^[ \t]*(?:HTTP\/\d(?:\.\d)? \d{3}|\S+ \S+ \S+ \[\d\d\/\w{3}\/\d{4}[ :].*\] "|###|--> END|<-- \d{3}|<{8}|<> \d{4}-|--[0-9a-f]{8}-[A-Z]--|```|\{(?:code|noformat)\})/m

/** Matches a line such as `Body:` or `-----` between the headers and the body. */
const LABEL = /^\s*(?:--[\w-]+--|[-=]{3,}|(?:Request |Raw )?Body:?)[ \t]*\r?\n/i

/** Returns the body without a first line such as `Body:`, or an empty list if the body has no such line. */
function withoutLabel(body: Uint8Array): Uint8Array[] {
  const [label = ''] = LABEL.exec(fromLatin1(body.subarray(0, 200))) ?? []
  return label === '' ? [] : [body.subarray(label.length)]
}

/** Cuts log text after the body. Returns the body without and with the white space before that text, or an empty list without log text. */
function withoutTextAfter(body: Uint8Array): Uint8Array[] {
  const text = fromLatin1(body)
  const index = text.search(TEXT_AFTER)
  if (index === -1) return []
  let end = index
  while (end > 0 && /\s/.test(text.charAt(end - 1))) end--
  return [body.subarray(0, end), body.subarray(0, index)]
}

/** Undoes changes that keep the length: an editor exchanged tabs and spaces, or a mail program replaced spaces by newlines. */
function revertSameLength(read: BodyRead, isSigned: IsSigned): BodyRead {
  const text = read.body.length > MAX_SEARCHED ? '' : fromLatin1(read.body)
  if (!/^[{[]/.test(text) || isSigned(read.body)) return read
  const spaced = text.replaceAll('\t', ' ')
  const tabbed = text.replace(/^ +/gm, (indent) => '\t'.repeat(indent.length))
  const signed = [spaced, tabbed].map(latin1).find(isSigned)
  const note = (what: string) => [...read.notes, `The capture ${what}.`]
  if (signed !== undefined)
    return { body: signed, notes: note('changed tabs and spaces in the body, which was reverted') }
  const joined = text.replaceAll('\n', ' ')
  const isBroken = jsonValue(fromUtf8(read.body)) === undefined && jsonValue(joined) !== undefined
  return isBroken
    ? { body: latin1(joined), notes: note('broke the body into lines. Each newline was read as a space') }
    : read
}

/**
 * Undoes changes that tools make to a body, and returns the best result. A body with the right signature and the right length is the best,
 * and a body with the right length is the next best. Returns `undefined` if no result is certain enough.
 *
 * @param signed - a body with the right signature, but not the right length. The sender signed this body, and sent a different body.
 */
function restore(
  readings: readonly Reading[],
  restorations: (body: Uint8Array) => Iterable<RestoredBody>,
  length: number | undefined,
  isSigned: IsSigned,
  signed: BodyRead | undefined,
): BodyRead | undefined {
  let match = signed
  let confirmed: BodyRead | undefined
  let likely: BodyRead | undefined
  for (const [restored, notes] of eachRestored(readings, restorations)) {
    const read = (why: string) => ({ body: restored.body, notes: [...notes, noteOn(restored, why)] })
    const hasLength = restored.body.length === length
    if (match === undefined && isSigned(restored.body)) {
      match = read('the signature is then right')
      if (hasLength || length === undefined) return match
    }
    if (!hasLength) continue
    const sized = read(`the body then has the ${countBytes(length)} of Content-Length`)
    if (restored.isWeak) likely ??= sized
    else confirmed ??= sized
  }
  // If a signature confirms the content, the right length is enough for a change that is otherwise too uncertain (`isWeak`).
  return confirmed ?? (match && (likely ?? match))
}

/** Yields all restored bodies, each with the notes of its reading, until they have `MAX_RESTORED` bytes together. */
function* eachRestored(
  readings: readonly Reading[],
  restorations: (body: Uint8Array) => Iterable<RestoredBody>,
): Generator<[RestoredBody, Reading['notes']]> {
  let size = 0
  for (const { body, notes } of readings) {
    for (const restored of restorations(body)) {
      size += restored.body.length
      if (size > MAX_RESTORED) return
      yield [restored, notes]
    }
  }
}

const PARSED =
  'The capture has a parsed body, so diagnose serialized the body to JSON. The signature is right for this JSON.'

const noteOn = ({ what }: RestoredBody, why: string) => `The capture ${what}. This was undone, because ${why}.`

/** Matches the end of a body that a log or a tool cut: `…`, `...` or `12 more bytes`. */
const CUT = /(?:…|\.\.\.|\btruncated\b|\bmore (?:items?|characters?|bytes)\b|\bhidden\)|\d ?k?B more)\W{0,3}$/i

const isCut = (body: Uint8Array) => CUT.test(fromUtf8(body.subarray(-60)))

function doubtOf({ body }: BodyRead, length: number | undefined, isLossy: boolean, isParsed: boolean): string {
  if (isMasked(textOf(body))) return 'the log masked a part of the body'
  if (isLossy) return 'a dot can stand for any other byte'
  if (length === undefined && isCut(body)) return 'the body was cut'
  if (length === undefined || (isParsed && body.length === length))
    return isParsed ? 'it has only a parsed body' : 'no Content-Length confirms where its body ends'
  return `Content-Length is ${length}, but its body has ${countBytes(body.length)}`
}

/** Returns the error for a body that is not confirmed. */
export function notTheBytes(doubt: string): CaptureError {
  return new CaptureError(
    `The capture does not hold the bytes that arrived: ${doubt}. Record the request with listen or captureRequest, or pass --header three times and --body-file.`,
  )
}

/** Returns the joined chunks (RFC 9112, section 7.1), or `undefined` if there are none. In a capture, a line can end with LF. */
function joinChunks(bytes: Uint8Array): Uint8Array | undefined {
  const joined = new Uint8Array(bytes.length)
  let size = 0
  for (let start = 0; ; ) {
    // A line with the size of a chunk has fewer than 1000 bytes.
    const lineLength = bytes.subarray(start, start + 1000).indexOf(LF) + 1
    const line = /^([0-9a-f]{1,8})[ \t]*(;.*)?\r?\n/i.exec(fromLatin1(bytes.subarray(start, start + lineLength)))
    if (line === null) return undefined
    const length = Number.parseInt(line[1] as string, 16)
    if (length === 0) return joined.subarray(0, size)
    const begin = start + line[0].length
    const newline = /^\r?\n/.exec(fromLatin1(bytes.subarray(begin + length, begin + length + 2)))
    if (newline === null) return undefined
    joined.set(bytes.subarray(begin, begin + length), size)
    size += length
    start = begin + length + newline[0].length
  }
}
