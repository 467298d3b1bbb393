import type { TestProject } from 'vitest/node'

// A global setup of vitest: ends a run that hangs. The time-out of a test cannot end an endless loop.

const LIMIT_MINUTES = 25

export function setup({ vitest }: TestProject): void {
  if (vitest.config.watch) return
  const end = () => {
    const unfinished = vitest.state.getFiles().filter(({ result }) => result?.state === 'run')
    console.error(`The tests ran for more than ${LIMIT_MINUTES} minutes. These files had not ended:`)
    for (const { name } of unfinished) console.error(`  ${name}`)
    process.exit(1)
  }
  setTimeout(end, LIMIT_MINUTES * 60_000).unref()
}
