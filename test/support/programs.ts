import { spawnSync } from 'node:child_process'

/** Whether a program answers when it is asked for its version. */
function answers(program: string): boolean {
  return ['--version', 'version'].some((ask) => spawnSync(program, [ask]).status === 0)
}

const HOW: Record<string, string> = {
  'redis-server': 'apt-get install redis-server, or brew install redis',
  postgresql: 'apt-get install postgresql, or brew install postgresql',
  go: 'apt-get install golang-go, or brew install go',
  php: 'apt-get install php-cli, or brew install php',
  javac: 'apt-get install default-jdk-headless, or brew install openjdk',
  'the frameworks of the recipes': 'npm ci --prefix docs/recipes',
  bun: 'npm ci --prefix test/runtimes (Linux x64)',
  deno: 'npm ci --prefix test/runtimes (Linux x64)',
  'better-sqlite3 or node:sqlite': 'npm ci --prefix test/integration, or Node 22.5 or later',
}

/**
 * Whether a program is installed that some tests need. Where it is not they are skipped, loudly; in CI that is a failure.
 *
 * @param installed - how to find out, if not by asking for its version.
 */
export function isInstalled(program: string, installed = answers(program)): boolean {
  if (installed) return true
  if (process.env['CI']) throw new Error(`${program} is not installed, and CI skips nothing`)
  console.warn(`\nSKIPPED: tests that need ${program}. To run them: ${HOW[program] ?? `install ${program}`}.\n`)
  return false
}
