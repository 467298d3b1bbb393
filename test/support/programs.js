import { spawnSync } from 'node:child_process'

const FULL = 'npm ci --prefix test/nightly/packages'

/**
 * The commands that install the programs that some tests need.
 *
 * @type {Record<string, string>}
 */
const INSTALL = {
  'redis-server': 'apt-get install redis-server, or brew install redis',
  postgresql: 'apt-get install postgresql, or brew install postgresql',
  mariadb: 'apt-get install mariadb-server, or brew install mariadb',
  'dynalite and the AWS SDK': FULL,
  'the packages of the observability guide': FULL,
  'older clients': FULL,
  go: 'apt-get install golang-go, or brew install go',
  php: 'apt-get install php-cli, or brew install php',
  chromium: 'apt-get install chromium-headless-shell, or brew install chromium',
  "Postman's command line": FULL,
  'the driver of the browser': FULL,
  'the site': 'npm ci --prefix docs/site',
  mcs: 'apt-get install mono-mcs libmono-system-net-http4.0-cil ca-certificates-mono, or brew install mono',
  javac: 'apt-get install default-jdk-headless, or brew install openjdk',
  'the frameworks of the recipes': FULL,
  'the runtimes': `${FULL}, on Linux x64`,
  bun: `${FULL}, on Linux x64`,
  deno: `${FULL}, on Linux x64`,
  'a disk to fill': 'sudo npm run test:nightly faults, on Linux',
  'better-sqlite3 or node:sqlite': `${FULL}, or use Node 22.5 or later`,
}

/**
 * Returns whether a program is installed that some tests need. If not, the tests are skipped with a warning. With
 * `SKIP_NOTHING`, the run fails.
 *
 * @param {string} program
 * @param {boolean} installed - by default, whether the program prints its version.
 */
export function isInstalled(program, installed = printsVersion(program)) {
  if (installed) return true
  const install = INSTALL[program] ?? `apt-get install ${program}, or brew install ${program}`
  if (process.env['SKIP_NOTHING']) throw new Error(`${program} is not installed. SKIP_NOTHING is set. Run: ${install}`)
  warnSkipped(`tests that need ${program}. To run them: ${install}`)
  return false
}

/**
 * Prints which tests are skipped.
 *
 * @param {string} what - which tests, and what to do to run them.
 */
export function warnSkipped(what) {
  console.warn(`\nSKIPPED: ${what}\n`)
}

/** Returns whether a test may mount a disk in memory. */
export function canMount() {
  return process.getuid?.() === 0 && spawnSync('unshare', ['--mount', 'true']).status === 0
}

/** Windows has other shells, signals and terminals, so tests of the shell lines in the guides, for example, are left out. */
export const IS_POSIX = process.platform !== 'win32'

/** @param {string} program */
function printsVersion(program) {
  return ['--version', 'version'].some((argument) => spawnSync(program, [argument]).status === 0)
}
