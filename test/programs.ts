import { spawnSync } from 'node:child_process'

/**
 * Skips a test, loudly, where a program that it needs is not installed. In CI that is a failure.
 *
 * @param programs - each answers `--version` or `version`.
 */
export function needs(skip: (note: string) => void, ...programs: string[]): void {
  const missing = programs.filter((program) =>
    ['--version', 'version'].every((ask) => spawnSync(program, [ask]).status !== 0),
  )
  if (missing.length === 0) return
  const note = `install ${missing.join(' and ')} to run this test`
  if (process.env['CI']) throw new Error(note)
  console.warn(`SKIPPED: ${note}`)
  skip(note)
}
