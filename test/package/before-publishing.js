// Refuses to publish until the manifest has the address of the project, where users report vulnerabilities and bugs.
import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

const EXAMPLES = {
  repository: '{ "type": "git", "url": "git+https://github.com/OWNER/inbound-webhook-auth.git" }',
  homepage: '"https://OWNER.github.io/inbound-webhook-auth/"',
  bugs: '"https://github.com/OWNER/inbound-webhook-auth/issues"',
}

/**
 * Returns what to do before the package can be published, one line per field.
 *
 * @param {Record<string, unknown>} manifest
 */
export function findMissing(manifest) {
  return Object.entries(EXAMPLES)
    .filter(([field]) => manifest[field] === undefined)
    .map(([field, example]) => `package.json has no "${field}". Add for example "${field}": ${example}`)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const missing = findMissing(JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')))
  for (const line of missing) console.error(line)
  if (missing.length > 0) process.exitCode = 1
}
