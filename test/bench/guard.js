// `npm run test:speed` compares `verify` and `MemoryNonceStore` with an HMAC and its comparison alone, in one process and in turns,
// and fails if a ratio is above its bound. Times of a shared machine mean nothing, but the median of many ratios is steady: the
// same load hits both sides of a round. A ratio above its bound is measured again, with more rounds each time.
import { MemoryNonceStore, verify } from '../../dist/index.js'
import { inTurns } from './rounds.js'
import { baseline, bodyOf, flat, own, SECRET, secondsAgo, signed, uuid } from './verifiers.js'

/**
 * The largest ratios that pass: about 5 % above what Node 20 and 24 need on a machine that is busy with other work. Raise a bound
 * only if the commit says why. One `await` more in `verify` makes the first ratio larger by 0.06, which load can hide. So the turns
 * are counted too.
 */
const BOUNDS = {
  '0 B, a store that answers at once': 1.52,
  '256 B': 1.8,
  '1 KB': 1.68,
  '16 KB': 1.24,
  '256 KB': 1.05,
  'forged, 1 KB': 1.42,
  'stale, 1 KB': 0.28,
  'replayed, 1 KB': 1.49,
  'two reservations among a million, 1 KB': 0.46,
}
const ATTEMPTS = 4
const ROUNDS = Number(process.env['GUARD_ROUNDS'] ?? 150)

/** @typedef {import('./rounds.js').Contestant} Contestant */

/** @param {import('./verifiers.js').Verifier} verifier @param {number} size @returns {Contestant} */
function genuine({ name, received, isAcceptance }, size) {
  const body = bodyOf(size)
  return { name, prepare: () => received(body), isRight: isAcceptance }
}

/** @param {string} reason @param {() => import('../../dist/index.js').WebhookRequest} request @returns {Contestant} */
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

/** @type {{ name: keyof typeof BOUNDS, size: number, contestant: () => Contestant }[]} */
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
  { name: '16 KB', size: 16_384, contestant: () => genuine(own(), 16_384) },
  { name: '256 KB', size: 262_144, contestant: () => genuine(own(), 262_144) },
  {
    name: 'forged, 1 KB',
    size: 1024,
    contestant: () => rejection('signature_mismatch', () => signed(kilobyte, { signature: '0'.repeat(64) })),
  },
  {
    name: 'stale, 1 KB',
    size: 1024,
    contestant: () => rejection('timestamp_outside_window', () => signed(kilobyte, { timestamp: secondsAgo(3600) })),
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

for (const { name, size, contestant } of CASES) {
  const contestants = [genuine(baseline(), size), contestant()]
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
