// `npm run test:nightly timing`: does the time of a comparison depend on where the first wrong digit is? A test as in "Dude, is my code
// constant time?" (O. Reparaz, J. Balasch, I. Verbauwhede): many measurements of two classes, in random order, compared by
// Welch's t-test. The same measurement must detect comparisons that leak, or it would prove nothing.
import { randomFillSync } from 'node:crypto'
import { build } from 'esbuild'
import { ROOT } from '../../support/packed.js'

const ROUNDS = 9
/** How many measurements a round has: enough to detect the planted leaks on a machine that does other work too. */
const SAMPLES = 8000
const CALLS = 50
/** A |t| above it shows a difference, as in the paper. */
const THRESHOLD = 4.5

const EXPECTED = 'f047d805fefcdb35f047d805fefcdb35f047d805fefcdb35f047d805fefcdb35'

/**
 * Functions that can replace `timingSafeEqual`. `===` is not among them: on many processors it compares 64 bytes in a single step,
 * and its leak of about 1 ns is too small to be detected reliably.
 */
const COMPARISONS = {
  timingSafeEqual: 'export { timingSafeEqual } from "node:crypto"',
  'planted: the second half only if the first is equal':
    'export const timingSafeEqual = (a, b) => a.compare(b, 0, 32, 0, 32) === 0 && a.compare(b, 32, 64, 32, 64) === 0',
  'planted: a loop that ends at the first difference':
    'export const timingSafeEqual = (a, b) => { for (let i = 0; i < 64; i++) if (a[i] !== b[i]) return false; return true }',
}

/**
 * The comparison of src/rules/hmac.ts, with a signature that was computed before. Hashing takes ten times as long, and its
 * noise would hide a leak.
 *
 * @param {string} comparison
 * @returns {Promise<(signature: string) => boolean>}
 */
async function load(comparison) {
  const crypto = `${comparison}
    const hmac = { update: () => hmac, digest: () => ${JSON.stringify(EXPECTED)} }
    export const createHmac = () => hmac`
  const { outputFiles } = await build({
    entryPoints: [`${ROOT}/src/rules/signature.ts`],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    plugins: [
      {
        name: 'crypto',
        setup({ onResolve, onLoad }) {
          onResolve({ filter: /^node:crypto$/ }, ({ importer }) =>
            importer.endsWith('rules/hmac.ts') ? { path: 'crypto', namespace: 'timing' } : undefined,
          )
          onLoad({ filter: /.*/, namespace: 'timing' }, () => ({ contents: crypto, resolveDir: ROOT }))
        },
      },
    ],
  })
  const { isSignatureOf } = await import(`data:text/javascript,${encodeURIComponent(outputFiles[0]?.text ?? '')}`)
  const message = { timestamp: '1700000000', nonce: 'n', body: new Uint8Array(0) }
  if (!isSignatureOf(message, EXPECTED, 'secret'))
    throw new Error('The right signature was refused, so nothing is compared.')
  return (signature) => isSignatureOf(message, signature, 'secret')
}

/** @param {number} at */
function wrongAt(at) {
  const digits = EXPECTED.split('')
  digits[at] = digits[at] === '0' ? '1' : '0'
  // A flat string, like the value of a header.
  return Buffer.from(digits.join('')).toString('latin1')
}

/**
 * Returns Welch's t of one round.
 *
 * @param {(signature: string) => boolean} isSignature
 */
function measure(isSignature) {
  const signatures = [wrongAt(0), wrongAt(63)]
  const classes = randomFillSync(new Uint8Array(SAMPLES)).map((byte) => byte & 1)
  const times = new Float64Array(SAMPLES)
  let accepted = 0
  for (let sample = 0; sample < SAMPLES; sample++) {
    const signature = /** @type {string} */ (signatures[classes[sample] ?? 0])
    const start = performance.now()
    for (let call = 0; call < CALLS; call++) if (isSignature(signature)) accepted++
    times[sample] = performance.now() - start
  }
  if (accepted > 0) throw new Error('A wrong signature was accepted.')

  // The slowest measurements are those that something else interrupted.
  const limit = /** @type {number} */ (times.toSorted()[Math.floor(SAMPLES * 0.8)])
  const [one, other] = [0, 1].map((kind) =>
    momentsOf(times.filter((time, sample) => classes[sample] === kind && time < limit)),
  )
  if (one === undefined || other === undefined) throw new Error('There are two classes.')
  return {
    t: (other.mean - one.mean) / Math.sqrt(one.variance / one.count + other.variance / other.count),
    nanoseconds: ((other.mean - one.mean) / CALLS) * 1e6,
  }
}

/** @param {Float64Array} times */
function momentsOf(times) {
  const mean = times.reduce((sum, time) => sum + time, 0) / times.length
  const variance = times.reduce((sum, time) => sum + (time - mean) ** 2, 0) / (times.length - 1)
  return { count: times.length, mean, variance }
}

/** @param {number[]} values */
function medianOf(values) {
  return values.toSorted((one, other) => one - other)[values.length >> 1] ?? Number.NaN
}

/** Returns the median of |t| and of the difference per comparison, for each comparison. */
async function measureAll() {
  const results = []
  for (const [name, comparison] of Object.entries(COMPARISONS)) {
    const isSignature = await load(comparison)
    measure(isSignature)
    const rounds = Array.from({ length: ROUNDS }, () => measure(isSignature))
    results.push({
      name,
      t: medianOf(rounds.map(({ t }) => Math.abs(t))),
      nanoseconds: medianOf(rounds.map(({ nanoseconds }) => nanoseconds)),
    })
  }
  return results
}

const [real, ...planted] = await measureAll()
if (real === undefined) throw new Error('There are three comparisons.')
for (const { name, t, nanoseconds } of [real, ...planted]) {
  console.log(`|t| = ${t.toFixed(1)}, ${nanoseconds.toFixed(2)} ns per comparison: ${name}`)
}
if (real.t > THRESHOLD) throw new Error('The time of the comparison depends on the signature.')
if (planted.some(({ t }) => t < THRESHOLD)) throw new Error('A planted leak was not detected.')
