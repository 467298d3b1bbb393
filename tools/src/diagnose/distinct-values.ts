import { areEqual } from '../bytes.js'
import type { Value } from './dimensions.js'

/** About how many bytes of a value are used for the fingerprint. */
const SAMPLED = 128

/**
 * The different values of a dimension. Two byte arrays are equal if the bytes are equal. Other values are equal if they are the same
 * object.
 */
export class DistinctValues {
  /** The values by fingerprint. Equal values have the same fingerprint, so a new value is compared with few other values. */
  readonly #byFingerprint = new Map<unknown, Value[]>()

  constructor(values: readonly Value[] = []) {
    for (const value of values) this.add(value)
  }

  /** Adds the value, and returns whether it is new. */
  add(value: Value): boolean {
    const fingerprint = fingerprintOf(value)
    const values = this.#byFingerprint.get(fingerprint)
    if (values === undefined) {
      this.#byFingerprint.set(fingerprint, [value])
      return true
    }
    // Values with the same fingerprint are byte arrays, or the same object.
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
