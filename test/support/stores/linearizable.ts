// A checker after J. M. Wing and C. Gong, "Testing and verifying concurrent objects" (1993). The object is a set of taken keys.
// Its one operation takes all its keys if they are free, and otherwise none.

/** One call of a store. Both times are from one clock. */
export interface Call {
  /** The keys of the call. Each is a webhook and a key. */
  keys: readonly string[]
  startedAt: number
  endedAt: number
  /** After a `failure`, the keys may be taken at once, at any later time, or never. */
  outcome: 'reserved' | 'taken' | 'failure'
}

/** Splits a history into groups of calls that have no key in common. Returns the groups that are not linearizable. */
export function findViolations(history: readonly Call[]): Call[][] {
  return groupByKeys(history).filter((calls) => !isLinearizable(calls))
}

/** Checks whether the calls could have happened one after the other, each at an instant between its start and its end. */
export function isLinearizable(calls: readonly Call[]): boolean {
  const numbers = new Map(calls.map((call, number) => [call, number]))
  const failedBefore = new Set<string>()

  function hasOrder(rest: readonly Call[], taken: ReadonlySet<string>): boolean {
    const answered = rest.filter(({ outcome }) => outcome !== 'failure')
    if (answered.length === 0) return true
    // The taken keys follow from the calls that are left.
    const id = rest.map((call) => numbers.get(call)).join()
    if (failedBefore.has(id)) return false
    failedBefore.add(id)

    const firstEnd = Math.min(...answered.map(({ endedAt }) => endedAt))
    const next = rest.filter(({ keys, startedAt, outcome }) => {
      const isFree = keys.every((key) => !taken.has(key))
      return startedAt <= firstEnd && isFree === (outcome !== 'taken')
    })
    const without = (call: Call) => rest.filter((other) => other !== call)
    // A call that found a taken key changes nothing, so it never comes too early.
    const taking = next.find(({ outcome }) => outcome === 'taken')
    if (taking !== undefined) return hasOrder(without(taking), taken)
    return next.some((call) => hasOrder(without(call), new Set([...taken, ...call.keys])))
  }

  return hasOrder(calls, new Set())
}

function groupByKeys(history: readonly Call[]): Call[][] {
  const groups = new Map<string, Call[]>()
  for (const call of history) {
    const touched = new Set(call.keys.map((key) => groups.get(key) ?? []))
    const group = [...[...touched].flat(), call]
    for (const { keys } of group) for (const key of keys) groups.set(key, group)
  }
  return [...new Set(groups.values())]
}
