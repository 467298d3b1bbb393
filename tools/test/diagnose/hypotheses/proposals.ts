import { fromHex, fromUtf8, hex, isUtf8, utf8 } from '../../../src/bytes.js'
import type { Hypothesis, RequestContext, Variant } from '../../../src/diagnose/hypotheses/hypothesis.js'
import { NODE_PRIMITIVES } from '../../../src/node-primitives.js'

export const CONTEXT: RequestContext = {
  headers: [
    [':path', '/in'],
    ['host', 'example.com'],
    ['x-request-id', 'the-request-id'],
  ],
  body: utf8(''),
  primitives: NODE_PRIMITIVES,
  spend: () => {},
}

/** Returns bytes in the notation of the examples. */
export const bytesOf = (text: string) => (text.startsWith('hex:') ? (fromHex(text.slice(4)) as Uint8Array) : utf8(text))
export const asBytes = (value: unknown) => (value instanceof Uint8Array ? value : utf8(String(value)))

/** Returns the variants that a row proposes for an input. */
export function variantsOf<Input, Output extends object | string>(
  row: Hypothesis<Input, Output>,
  input: Input,
  context: RequestContext = CONTEXT,
): readonly Variant<Output>[] {
  const applied = row.apply(input, context)
  if (applied === undefined) return []
  const isSeveral = typeof applied === 'object' && 'variants' in applied
  return isSeveral ? [...applied.variants] : [{ detail: '', value: applied }]
}

/** Returns all values that a row proposes for an input, as hex. */
export function proposed<Input, Output extends object | string>(
  row: Hypothesis<Input, Output>,
  input: Input,
  bytes: (output: Output) => Uint8Array,
) {
  const context = input instanceof Uint8Array ? { ...CONTEXT, body: input } : CONTEXT
  return variantsOf(row, input, context).map(({ value }) => hex(bytes(value)))
}

/** Finds a row by a part of its text. */
export function rowNamed<Row extends { what: string }>(rows: readonly Row[], what: string): Row {
  const found = rows.filter((row) => row.what.includes(what))
  if (found[0] === undefined || found.length > 1)
    throw new Error(`${found.length} rows contain ${JSON.stringify(what)}.`)
  return found[0]
}

/** Returns what the rows with exactly these words propose: text, or `hex:…` for bytes that are not UTF-8. */
export function valuesOf<Input>(
  rows: readonly Hypothesis<Input, string | Uint8Array>[],
  what: string,
  input: Input,
  context: RequestContext = CONTEXT,
): string[] {
  const named = rows.filter((row) => row.what === what)
  if (named.length === 0) throw new Error(`No row is ${JSON.stringify(what)}.`)
  const show = (bytes: Uint8Array) => (isUtf8(bytes) ? fromUtf8(bytes) : `hex:${hex(bytes)}`)
  return named.flatMap((row) => variantsOf(row, input, context).map(({ value }) => show(asBytes(value))))
}
