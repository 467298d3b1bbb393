import { slugify } from './slugify.js'

// The first page of the reference: what to use for which job. The reference has all names, and their first sentences.

/** @type {Readonly<Record<string, readonly string[]>>} */
export const JOBS = {
  'Receive in a handler': ['receive', 'handle', 'refuse', 'refusal'],
  'Verify a request whose body is read': ['verify', 'readBody'],
  Send: ['sign', 'generateSecret'],
  'Store nonces in one process or on one machine': ['MemoryNonceStore', 'SqliteNonceStore'],
  'Connect to a database that processes share': [
    'connectNodeRedis',
    'connectIoredis',
    'connectPg',
    'connectPostgresJs',
    'connectMysql2',
    'connectMariadb',
  ],
  'Use a client or a connection of your own': [
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
  'Explain a refused request': ['diagnose', 'captureRequest'],
}

/**
 * Returns the page that lists the functions and classes by job.
 *
 * @param {readonly (readonly [module: string, markdown: string])[]} modules - the pages of the reference.
 */
export function apiSummary(modules) {
  const entries = new Map(modules.flatMap(([module, markdown]) => entriesOf(module, markdown)))
  const listed = Object.values(JOBS).flat()
  const wrong = [
    ...listed.filter((name) => !entries.has(name)).map((name) => `${name} is not in the reference`),
    ...[...entries.keys()].filter((name) => !listed.includes(name)).map((name) => `${name} has no job`),
  ]
  if (wrong.length > 0) throw new Error(`docs/site/api-summary.js: ${wrong.join(', ')}`)
  const jobs = Object.entries(JOBS).map(
    ([job, names]) => `## ${job}\n\n${names.map((name) => entries.get(name)).join('\n')}`,
  )
  const imports = modules.map(([module]) => `- [\`${module}\`](/api/${module})`)
  return `# API\n\nAll functions and classes by what they are for, and then by the module that exports them.\n\n${jobs.join('\n\n')}\n\n## By import\n\n${imports.join('\n')}\n`
}

/**
 * Returns the line of each function and class of a module.
 *
 * @param {string} module
 * @param {string} markdown
 * @returns {[name: string, line: string][]}
 */
function entriesOf(module, markdown) {
  const sections = [...markdown.matchAll(/^## (?:Functions|Classes)\n([\s\S]*?)(?=^## |$(?![\s\S]))/gm)]
  const parts = sections.flatMap(([, text = '']) => text.split(/^### /m).slice(1))
  return parts.map((part) => {
    const [heading = '', ...blocks] = part.split(/\n{2,}/)
    const name = heading.replace(/\(\)$/, '')
    const paragraph = blocks.find((block) => /^[A-Z`]/.test(block)) ?? ''
    const [sentence = ''] = /^[\s\S]*?[.:](?=\s|$)/.exec(paragraph) ?? []
    // A link within the page of the module leads to that page here.
    const text = sentence.replace(/\s+/g, ' ').replace(/\]\(#/g, `](/api/${module}#`).replace(/:$/, '.')
    return [name, `- [\`${name}\`](/api/${module}#${slugify(heading)}): ${text}`]
  })
}
