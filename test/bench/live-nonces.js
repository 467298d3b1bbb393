// Measures the memory and time of one store in its own process, and prints them as JSON. Run: node --expose-gc live-nonces.js
// '{"store":"memory","live":1000000,"webhooks":1}'
import { randomFillSync } from 'node:crypto'
import { PerformanceObserver } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { MemoryNonceStore } from '../../dist/index.js'
import { MapStore } from './map-store.js'
import { quantile } from './rounds.js'

const TTL_SECONDS = 600
const BATCH = 1000

/** A clock that does not move until it is set. To read it costs as much as to read the default clock. */
const clock = {
  milliseconds: 0,
  now() {
    performance.now()
    return clock.milliseconds
  },
}

/** @param {string} store @param {number} maxEntries */
function create(store, maxEntries) {
  return store === 'map' ? new MapStore(clock) : new MemoryNonceStore({ clock, maxEntries })
}

const random = new Uint8Array(16 * BATCH)
const text = Buffer.alloc(36 * BATCH)

/** Returns UUIDs. Each is a flat string, like the value of a header. */
function uuids() {
  const hex = Buffer.from(randomFillSync(random)).toString('hex')
  for (let index = 0; index < BATCH; index++) {
    const parts = [0, 8, 12, 16, 20, 32].map((at) => index * 32 + at)
    text.write(
      parts
        .slice(1)
        .map((end, part) => hex.slice(parts[part], end))
        .join('-'),
      index * 36,
      'latin1',
    )
  }
  return Array.from({ length: BATCH }, (_, index) => text.toString('latin1', index * 36, (index + 1) * 36))
}

/** @param {number} webhooks */
function webhookIds(webhooks) {
  if (webhooks === 1) return ['billing']
  return Array.from({ length: webhooks }, (_, index) => `6f9619ff-8b86-4d01-b42d-${String(index).padStart(12, '0')}`)
}

/** Returns the resident memory of the process, in bytes. */
async function resident() {
  for (let round = 0; round < 3; round++) {
    globalThis.gc?.()
    await sleep(50)
  }
  return process.memoryUsage().rss
}

/** Returns the median time of a full garbage collection of this process, in milliseconds. */
function garbageCollection() {
  const times = Array.from({ length: 5 }, () => {
    const start = performance.now()
    globalThis.gc?.()
    return performance.now() - start
  })
  return quantile(times, 0.5)
}

/** @type {{ start: number, end: number }[]} */
const collections = []
new PerformanceObserver((list) => {
  for (const { startTime, duration } of list.getEntries()) {
    collections.push({ start: startTime, end: startTime + duration })
  }
}).observe({ entryTypes: ['gc'] })

/**
 * Reserves batches of new keys. One key expires per new key, unless the clock does not move.
 *
 * @param {{ reserve(webhookId: string, key: string, ttlSeconds: number): boolean }} store
 * @param {string[]} ids
 * @param {number} count
 * @param {number} step - how many milliseconds the clock moves per key.
 */
function reserveMany(store, ids, count, step) {
  const batches = []
  for (let done = 0; done < count; done += BATCH) {
    const keys = uuids()
    const own = keys.map(() => ids[Math.floor(Math.random() * ids.length)] ?? '')
    const start = performance.now()
    for (let index = 0; index < BATCH; index++) {
      clock.milliseconds += step
      if (!store.reserve(own[index] ?? '', keys[index] ?? '', TTL_SECONDS)) throw new Error('a new key was taken')
    }
    batches.push(((performance.now() - start) / BATCH) * 1e6)
  }
  return batches
}

/** Returns the time that a measurement itself takes, in nanoseconds. */
function timingItself() {
  const times = Array.from({ length: 100_000 }, () => {
    const start = performance.now()
    return (performance.now() - start) * 1e6
  })
  return quantile(times, 0.5)
}

/** The same as `reserveMany`, but returns the time of each reservation in nanoseconds. @type {typeof reserveMany} */
function reserveEach(store, ids, count, step) {
  const times = []
  const timing = timingItself()
  for (let done = 0; done < count; done += BATCH) {
    const keys = uuids()
    const own = keys.map(() => ids[Math.floor(Math.random() * ids.length)] ?? '')
    for (let index = 0; index < BATCH; index++) {
      clock.milliseconds += step
      const start = performance.now()
      store.reserve(own[index] ?? '', keys[index] ?? '', TTL_SECONDS)
      times.push((performance.now() - start) * 1e6 - timing)
    }
  }
  return times
}

/**
 * Returns the longest processor time of a reservation, in milliseconds. Reservations with a garbage collection do not count. It
 * uses processor time, because other processes of a shared machine add to the time on the clock.
 *
 * @param {Parameters<typeof reserveMany>} reservations
 */
async function longestPause(...[store, ids, count, step]) {
  const slow = []
  for (let done = 0; done < count; done += BATCH) {
    const keys = uuids()
    for (const key of keys) {
      clock.milliseconds += step
      const start = performance.now()
      const before = process.cpuUsage()
      store.reserve(ids[0] ?? '', key, TTL_SECONDS)
      const { user, system } = process.cpuUsage(before)
      if (user + system > 100) slow.push({ start, end: performance.now(), milliseconds: (user + system) / 1000 })
    }
  }
  // The observer gets the collections later.
  await sleep(100)
  const own = slow.filter(({ start, end }) => !collections.some((gc) => gc.start < end && gc.end > start))
  return Math.max(0.1, ...own.map(({ milliseconds }) => milliseconds))
}

/** @param {{ store: string, live: number, webhooks: number }} figure */
async function measure({ store: kind, live, webhooks }) {
  const ids = webhookIds(webhooks)
  const step = (TTL_SECONDS * 1000) / live
  // Warms up the code, with another store of the same class.
  reserveMany(create(kind, 100_000), ids.slice(0, 10), 200_000, TTL_SECONDS / 50)
  clock.milliseconds = 0
  const empty = await resident()
  const emptyCollection = garbageCollection()

  const store = create(kind, Math.max(100_000, live * 2))
  const filling = reserveMany(store, ids, live, step)
  const full = await resident()
  const collection = garbageCollection() - emptyCollection
  const turns = 500_000
  const steady = reserveMany(store, ids, turns, step)
  const each = reserveEach(store, ids, turns, step)
  const pause = await longestPause(store, ids, turns, step)

  // All expire. Then the same number of new keys is reserved, but slowly, so that a hundredth of them is live at a time.
  clock.milliseconds += TTL_SECONDS * 2000
  reserveMany(store, ids, live, step * 100)
  const afterwards = await resident()
  return {
    store: kind,
    live,
    webhooks,
    bytesEach: (full - empty) / live,
    bytesLeft: (afterwards - empty) / live,
    nanosecondsFilling: quantile(filling, 0.5),
    nanosecondsSteady: quantile(steady, 0.5),
    nanosecondsEach: { p50: quantile(each, 0.5), p999: quantile(each, 0.999) },
    longestPauseMilliseconds: pause,
    fullCollectionMilliseconds: collection,
  }
}

console.log(JSON.stringify(await measure(JSON.parse(process.argv[2] ?? '{}'))))
