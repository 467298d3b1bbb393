import { areEqual } from '../bytes.js'
import type { Value } from './dimensions.js'

/** About how many bytes of a value are read for its fingerprint. */
const SAMPLED = 128

/** A set of values. Two byte arrays with the same bytes are one value. */
export class DistinctValues {
  /** The values by fingerprint, so that a new value is compared only with the few values that have the same fingerprint. */
  readonly #byFingerprint = new Map<unknown, Value[]>()

  constructor(values: readonly Value[] = []) {
    for (const value of values) this.add(value)
  }

  /** Adds the value and returns whether it is new. */
  add(value: Value): boolean {
    const fingerprint = fingerprintOf(value)
    const values = this.#byFingerprint.get(fingerprint)
    if (values === undefined) {
      this.#byFingerprint.set(fingerprint, [value])
      return true
    }
    // A value that is not a byte array is its own fingerprint, so all other values here are byte arrays.
    for (const other of values) if (other === value || areEqual(other as Uint8Array, value as Uint8Array)) return false
    values.push(value)
    return true
  }
}

function fingerprintOf(value: Value): unknown {
  if (!(value instanceof Uint8Array)) return value
  let fingerprint = value.length
  const step = Math.ceil(value.length / SAMPLED)
  for (let index = 0; index < value.length; index += step) {
    fingerprint = (Math.imul(fingerprint, 31) + (value[index] as number)) | 0
  }
  return fingerprint
}
