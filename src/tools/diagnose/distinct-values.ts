import { areEqual } from '../bytes.js'
import type { Value } from './dimensions.js'

/** How many bytes at each end of a value go into its fingerprint. */
const SAMPLED = 32

/** Values of a dimension, each once. Bytes are equal if their contents are equal. Other values are equal if they are the same object. */
export class DistinctValues {
  /** The values by fingerprint. Equal values have the same one, so each of thousands of values is compared with few others. */
  readonly #byFingerprint = new Map<unknown, Value[]>()

  constructor(values: readonly Value[] = []) {
    for (const value of values) this.add(value)
  }

  has(value: Value): boolean {
    return (
      this.#byFingerprint
        .get(fingerprintOf(value))
        ?.some((other) => other === value || areEqual(other as Uint8Array, value as Uint8Array)) ?? false
    )
  }

  add(value: Value): void {
    if (this.has(value)) return
    const fingerprint = fingerprintOf(value)
    const values = this.#byFingerprint.get(fingerprint)
    if (values === undefined) this.#byFingerprint.set(fingerprint, [value])
    else values.push(value)
  }
}

function fingerprintOf(value: Value): unknown {
  if (!(value instanceof Uint8Array)) return value
  let fingerprint = value.length
  const mix = (byte: number) => {
    fingerprint = (Math.imul(fingerprint, 31) + byte) | 0
  }
  value.subarray(0, SAMPLED).forEach(mix)
  value.subarray(-SAMPLED).forEach(mix)
  return fingerprint
}
