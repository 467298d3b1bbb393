import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

// The first page of the reference: what to use for which job. The reference has all names, and their first sentences.

/** @type {Readonly<Record<string, readonly string[]>>} */
export const JOBS = {
  'Receive in a handler': ['receive', 'handle', 'verify', 'refuse', 'refusal', 'readBody'],
  Send: ['sign', 'generateSecret', 'generateKeyPair'],
  'Store nonces in one process or on one machine': ['MemoryNonceStore', 'SqliteNonceStore'],
  'Store nonces in a database that processes share': [
    'RedisNonceStore',
    'PostgresNonceStore',
    'MySqlNonceStore',
    'DynamoDBNonceStore',
    'withTimeout',
  ],
  'Run your code exactly once, over SQL': [
    'PostgresTransactionStore',
    'beginPg',
    'MySqlTransactionStore',
    'beginMysql2',
  ],
  'Handle an error': ['WebhookRejectedError', 'BodyError', 'NonceStoreError'],
  'Test a handler or a store': ['endpointContract', 'nonceStoreContract'],
  'Explain a refused request': ['explain', 'diagnose', 'captureRequest'],
}

/** The order of the functions and classes, wherever they are listed. */
export const ORDER = Object.values(JOBS).flat()

/**
 * A page of the reference about one function or class.
 *
 * @typedef {{ name: string, module: string, link: string, sentence: string }} ReferencePage
 */

/**
 * Reads the pages of the functions and classes.
 *
 * @param {string} folder - what typedoc wrote.
 * @returns {ReferencePage[]} in the order of {@link JOBS}, `inbound-webhook-auth` before its subpaths.
 */
export function readReference(folder) {
  const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' }).flatMap((file) => {
    const [, module, name] = /^(.+)\/(?:functions|classes)\/(\w+)\.md$/.exec(file) ?? []
    if (module === undefined || name === undefined) return []
    const blocks = readFileSync(join(folder, file), 'utf8').split(/\n{2,}/)
    const paragraph = blocks.find((block) => /^(?!```)[A-Z`]/.test(block)) ?? ''
    const [sentence = ''] = /^[\s\S]*?[.:](?=\s|$)/.exec(paragraph) ?? []
    // A link of that page leads nowhere from another one.
    const text = sentence
      .replace(/\s+/g, ' ')
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '`$1`')
      .replace(/:$/, '.')
    return [{ name, module, link: `/api/${file.replace(/\.md$/, '')}`, sentence: text }]
  })
  const names = pages.map(({ name }) => name)
  const wrong = [
    ...ORDER.filter((name) => !names.includes(name)).map((name) => `${name} is not in the reference`),
    ...names.filter((name) => !ORDER.includes(name)).map((name) => `${name} has no job`),
  ]
  if (wrong.length > 0) throw new Error(`docs/site/api-summary.js: ${wrong.join(', ')}`)
  const rank = ({ name = '' }) => ORDER.indexOf(name)
  return pages.sort((one, other) => one.module.localeCompare(other.module) || rank(one) - rank(other))
}

/**
 * Returns the first page of the reference, which lists the functions and classes by job.
 *
 * @param {readonly ReferencePage[]} pages
 */
export function apiSummary(pages) {
  const jobs = Object.entries(JOBS).map(([job, names]) => {
    const lines = names.map((name) => {
      const { link, sentence } = /** @type {ReferencePage} */ (pages.find((page) => page.name === name))
      return `- [\`${name}\`](${link}): ${sentence}`
    })
    return `## ${job}\n\n${lines.join('\n')}`
  })
  const imports = modulesOf(pages).map((module) => `- [\`${module}\`](/api/${module}/)`)
  return `# API\n\nThe functions and classes by what they are for. The page of an import also has its types.\n\n${jobs.join('\n\n')}\n\n## By import\n\n${imports.join('\n')}\n`
}

/**
 * Returns the entries of the sidebar: one group per import.
 *
 * @param {readonly ReferencePage[]} pages
 */
export function apiEntries(pages) {
  const groups = modulesOf(pages).map((module) => ({
    // The name of the package alone would fill the line.
    text: module.replace(/^[^/]*\//, '…/'),
    link: `/api/${module}/`,
    collapsed: true,
    items: pages.filter((page) => page.module === module).map(({ name, link }) => ({ text: name, link })),
  }))
  return [{ text: 'API', link: '/api/' }, ...groups]
}

/** @param {readonly ReferencePage[]} pages */
const modulesOf = (pages) => [...new Set(pages.map(({ module }) => module))]
