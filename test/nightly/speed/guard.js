// `npm run test:speed` compares `verify` and `MemoryNonceStore` with a baseline, in one process and in turns, and fails if a ratio is
// above its bound. The usual baseline is an HMAC and its comparison. Where hashing is nearly all of a call, or no part of it, the
// baseline does the same kind of work, because machines differ in how fast they hash. Times of a shared machine mean nothing, but the
// median of many ratios is steady: the same load hits both sides of a round. A ratio above its bound is measured again, with more
// rounds each time.
import { MemoryNonceStore, verify } from '../../../dist/index.js'
import { inTurns } from '../../bench/rounds.js'
import { baseline, bodyOf, flat, own, SECRET, secondsAgo, signed, uuid } from '../../bench/verifiers.js'

/**
 * The largest ratios that pass: about 5 % above what Node 20 and 24 need on a machine that is busy with other work. Raise a bound
 * only if the commit says why. One `await` more in `verify` makes the first ratio larger by 0.06, which load can hide. So the turns
 * are counted too.
 */
const BOUNDS = {
  '0 B, a store that answers at once': 1.52,
  '256 B': 1.8,
  '1 KB': 1.68,
  '16 KB': 0.82,
  '256 KB': 1,
  'forged, 1 KB': 1.42,
  'stale, 1 KB': 2.1,
  'replayed, 1 KB': 1.49,
  'two reservations among a million, 1 KB': 0.46,
}
const ATTEMPTS = 4
const ROUNDS = Number(process.env['GUARD_ROUNDS'] ?? 150)

/** @typedef {import('../../bench/rounds.js').Contestant} Contestant */

/** @param {import('../../bench/verifiers.js').Verifier} verifier @param {number} size @returns {Contestant} */
function genuine({ name, received, isAcceptance }, size) {
  const body = bodyOf(size)
  return { name, prepare: () => received(body), isRight: isAcceptance }
}

/**
 * The HMAC of a body, and a `verify` of an empty body. Beside both, only what grows with the body can make a `verify` slow.
 *
 * @param {number} size
 * @returns {Contestant}
 */
function sizeBaseline(size) {
  const [hmac, empty] = [genuine(baseline(), size), genuine(own(), 0)]
  return {
    name: 'baseline and verify, 0 B',
    prepare() {
      const [first, second] = [hmac.prepare(), empty.prepare()]
      return async () => first() === true && second()
    },
    isRight: empty.isRight,
  }
}

/** @param {string} reason @param {() => import('../../../dist/index.js').WebhookRequest} request @returns {Contestant} */
function rejection(reason, request) {
  const nonceStore = new MemoryNonceStore()
  return {
    name: reason,
    prepare() {
      const received = request()
      return () => verify(received, SECRET, nonceStore)
    },
    isRight: (result) => Object(result).reason === reason,
  }
}

/**
 * The work that every rejection of a stale request must do: find the timestamp, read the clock, and settle a promise.
 *
 * @returns {Contestant}
 */
function staleBaseline() {
  const reject = async (/** @type {ReturnType<typeof signed>} */ { headers }) => {
    let timestamp
    for (const name in headers) if (name.toLowerCase() === 'x-timestamp') timestamp = Number(headers[name])
    const drift = Date.now() - Number(timestamp) * 1000
    return Math.abs(drift) > 300_000 ? `${drift / 1000} s behind` : undefined
  }
  return {
    name: 'baseline: a loop over the headers, Date.now, and a message',
    prepare() {
      const received = stale()
      return () => reject(received)
    },
    isRight: (message) => typeof message === 'string',
  }
}

function stale() {
  return signed(kilobyte, { timestamp: secondsAgo(3600) })
}

/** @returns {Contestant} */
function replay() {
  const nonceStore = new MemoryNonceStore()
  const replayed = signed(bodyOf(1024))
  return {
    name: 'replayed_nonce',
    prepare: () => () => verify(replayed, SECRET, nonceStore),
    isRight: (result) => Object(result).ok === true || Object(result).reason === 'replayed_nonce',
  }
}

/** Returns a store with a million live entries, one of which expires per reservation. @returns {Contestant} */
function steadyStore() {
  const LIVE = 1_000_000
  const clock = { milliseconds: 0, now: () => clock.milliseconds }
  const nonceStore = new MemoryNonceStore({ maxEntries: 2 * LIVE, clock })
  const move = () => {
    clock.milliseconds += 600_000 / LIVE
  }
  for (let count = 0; count < 1.1 * LIVE; count++) {
    move()
    nonceStore.reserve('billing', uuid(), 600)
  }
  return {
    name: 'two reservations',
    prepare() {
      const keys = [uuid(), flat(`signature ${'0'.repeat(28)}${uuid()}`)]
      return () => {
        move()
        move()
        return nonceStore.reserveAll('billing', keys, 600)
      }
    },
    isRight: (answer) => answer === true,
  }
}

const atOnce = { reserve: () => true, reserveAll: () => true }
const kilobyte = bodyOf(1024)

/** @type {{ name: keyof typeof BOUNDS, size: number, reference?: () => Contestant, contestant: () => Contestant }[]} */
const CASES = [
  {
    name: '0 B, a store that answers at once',
    size: 0,
    contestant: () => ({
      name: 'verify',
      prepare() {
        const request = signed(Buffer.alloc(0))
        return () => verify(request, SECRET, atOnce)
      },
      isRight: (result) => Object(result).ok === true,
    }),
  },
  { name: '256 B', size: 256, contestant: () => genuine(own(), 256) },
  { name: '1 KB', size: 1024, contestant: () => genuine(own(), 1024) },
  { name: '16 KB', size: 16_384, reference: () => sizeBaseline(16_384), contestant: () => genuine(own(), 16_384) },
  { name: '256 KB', size: 262_144, reference: () => sizeBaseline(262_144), contestant: () => genuine(own(), 262_144) },
  {
    name: 'forged, 1 KB',
    size: 1024,
    contestant: () => rejection('signature_mismatch', () => signed(kilobyte, { signature: '0'.repeat(64) })),
  },
  {
    name: 'stale, 1 KB',
    size: 1024,
    reference: staleBaseline,
    contestant: () => rejection('timestamp_outside_window', stale),
  },
  { name: 'replayed, 1 KB', size: 1024, contestant: replay },
  { name: 'two reservations among a million, 1 KB', size: 1024, contestant: steadyStore },
]

/** Returns how many turns of the event loop's microtasks a `verify` takes with a store that answers at once. */
async function turnsOfVerify() {
  let isSettled = false
  let turns = 0
  void verify(signed(kilobyte), SECRET, new MemoryNonceStore()).then(() => {
    isSettled = true
  })
  for (; !isSettled; turns++) await undefined
  return turns
}

const turns = await turnsOfVerify()
console.log(`${turns === 1 ? 'passed' : 'FAILED'}  turns of a verify: ${turns} (at most 1)`)
if (turns !== 1) {
  console.error('Error: verify awaits a store that answers at once.')
  process.exitCode = 1
}

for (const { name, size, reference = () => genuine(baseline(), size), contestant } of CASES) {
  const contestants = [reference(), contestant()]
  const calls = Math.max(10, Math.round(3_200_000 / (size + 16_000)))
  const ratios = []
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const [, timing] = await inTurns(contestants, { rounds: ROUNDS * 2 ** attempt, calls })
    ratios.push(timing?.ratio ?? Number.NaN)
    if (Math.min(...ratios) <= BOUNDS[name]) break
  }
  const ratio = Math.min(...ratios)
  const isFast = ratio <= BOUNDS[name]
  const tried = ratios.map((one) => one.toFixed(2)).join(', ')
  console.log(`${isFast ? 'passed' : 'FAILED'}  ${name.padEnd(40)} ${tried} (at most ${BOUNDS[name]})`)
  if (!isFast) {
    console.error(
      `Error: verify became slower: ${name} is ${ratio.toFixed(2)} times the baseline, more than ${BOUNDS[name]}.`,
    )
    process.exitCode = 1
  }
}
