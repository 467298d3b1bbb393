import { REMEMBERED_MILLISECONDS, RecentKeys } from '../stores/recent-keys.js'

/** The keys that this process is handling, and the keys that another process was handling a moment ago, per store. */
const busyKeys = new WeakMap<object, { readonly running: Set<string>; readonly elsewhere: RecentKeys<true> }>()

/** Runs `run`, unless one of the keys is being handled: for a copy, another split of the message, or another attempt of the event. */
export async function unlessInProgress<Outcome extends { outcome: string; settled?: Promise<void> | undefined }>(
  store: object,
  webhookId: string,
  keys: readonly string[],
  run: () => Promise<Outcome>,
): Promise<Outcome | { outcome: 'in_progress' }> {
  const busy = busyKeys.get(store) ?? { running: new Set(), elsewhere: new RecentKeys() }
  busyKeys.set(store, busy)
  const scoped = keys.map((key) => JSON.stringify([webhookId, key]))
  if (scoped.some((key) => busy.running.has(key) || busy.elsewhere.get(key))) return { outcome: 'in_progress' }
  for (const key of scoped) busy.running.add(key)
  let settled: Promise<void> | undefined
  try {
    const result = await run()
    settled = result.settled
    if (result.outcome !== 'in_progress') return result
    // A flood of copies costs no round trip.
    for (const key of scoped) busy.elsewhere.set(key, true, REMEMBERED_MILLISECONDS)
    return result
  } finally {
    void Promise.resolve(settled).then(() => {
      for (const key of scoped) busy.running.delete(key)
    })
  }
}
