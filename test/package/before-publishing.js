// Refuses to publish until the manifest of each package says where the project is, and whom to write to about a vulnerability.
import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

const BUGS = '{ "url": "https://github.com/OWNER/inbound-webhook-auth/issues", "email": "security@OWNER.example" }'
const PLACEHOLDER = /OWNER/

/** @type {readonly { field: string, name?: string, form: RegExp, example: string }[]} */
const REQUIRED = [
  {
    field: 'repository',
    name: 'url',
    form: /^git\+https:\/\/./,
    example: '{ "type": "git", "url": "git+https://github.com/OWNER/inbound-webhook-auth.git" }',
  },
  { field: 'homepage', form: /^https:\/\/./, example: '"https://OWNER.github.io/inbound-webhook-auth/"' },
  { field: 'bugs', name: 'url', form: /^https:\/\/./, example: BUGS },
  { field: 'bugs', name: 'email', form: /^[^\s@]+@[^\s@]+\.[^\s@]+$/, example: BUGS },
]

/**
 * Returns what to do before a package can be published, one line per field.
 *
 * @param {string} file - the path of the manifest.
 * @param {Record<string, unknown>} manifest
 */
export function findMissing(file, manifest) {
  return REQUIRED.filter(({ field, name, form }) => {
    const value = manifest[field]
    const text =
      name === undefined ? value : value instanceof Object && Object.entries(value).find(([key]) => key === name)?.[1]
    return typeof text !== 'string' || !form.test(text) || PLACEHOLDER.test(text)
  }).map(({ field, name, example }) => {
    const path = [field, name].filter(Boolean).join('.')
    return `${file} has no valid "${path}". Add "${field}", for example "${field}": ${example}`
  })
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const missing = ['package.json', 'tools/package.json'].flatMap((path) =>
    findMissing(path, JSON.parse(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'))),
  )
  for (const line of missing) console.error(line)
  if (missing.length > 0) process.exitCode = 1
}
