/** Runs concurrent work in every order of its steps. */
export interface Steps {
  /** Waits until the order comes to this step. */
  turn(): Promise<void>
  /** Returns each number from 0 to `count - 1`, one per run. */
  choose(count: number): number
}

/**
 * Starts `work` again and again: once for each order of its turns and each value of its choices. Returns how many runs there
 * were.
 *
 * @param work - must do the same in each run, except for the turns and choices.
 */
export async function inEveryOrder(work: (steps: Steps) => Promise<void>): Promise<number> {
  for (let path: number[] = [], runs = 1; ; runs++) {
    const counts: number[] = []
    const choose = (count: number) => {
      counts.push(count)
      return path[counts.length - 1] ?? 0
    }
    const waiting: (() => void)[] = []
    const turn = () => new Promise<void>((resolve) => waiting.push(resolve))

    let isDone = false
    const done = work({ turn, choose }).finally(() => {
      isDone = true
    })
    done.catch(() => {})
    while (!isDone) {
      // After this, all promises that can settle have settled.
      await new Promise(setImmediate)
      const [next] = waiting.splice(waiting.length > 1 ? choose(waiting.length) : 0, 1)
      next?.()
    }
    await done

    // For the next run, the last choice that has another value left is changed.
    path = counts.map((_, index) => path[index] ?? 0)
    while (path.length > 0 && (path.at(-1) as number) + 1 >= (counts[path.length - 1] as number)) path.pop()
    if (path.length === 0) return runs
    path.push((path.pop() as number) + 1)
  }
}
