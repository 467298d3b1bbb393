// The order of the pages. This is the only place to change when a guide is added or moved.

/**
 * A section of the navigation, with its pages in order.
 *
 * @typedef {{ title: string, pages: readonly string[] }} Section
 */

/**
 * Returns the paths of the pages in a folder of `docs`.
 *
 * @param {string} folder
 * @param {readonly string[]} names
 */
const below = (folder, names) => names.map((name) => `docs/${folder}/${name}.md`)

/** @type {readonly Section[]} */
export const SECTIONS = [
  { title: 'Start', pages: ['README.md', 'docs/start/how-it-works.md'] },
  {
    title: 'Receive',
    pages: below('receive', [
      'index',
      'node-http',
      'express',
      'fastify',
      'nestjs',
      'full-stack',
      'koa-hapi',
      'serverless',
      'hono-bun-deno',
      'standard-webhooks',
      'secrets',
      'migrate',
      'test-your-handler',
    ]),
  },
  {
    title: 'Send',
    pages: below('send', ['index', 'python', 'go', 'ruby', 'php', 'java', 'csharp', 'shell', 'no-code']),
  },
  {
    title: 'Stores',
    pages: below('operate', ['index', 'memory-sqlite', 'redis', 'sql', 'dynamodb', 'your-own', 'failures']),
  },
  {
    title: 'Run',
    pages: below('operate', ['exactly-once', 'transactions', 'queue', 'events', 'observability', 'proxy']),
  },
  { title: 'Fix a 401', pages: below('debug', ['index', 'command-line', 'findings', 'without-node']) },
  { title: 'Reference', pages: ['docs/reference/errors.md'] },
  { title: 'Trust', pages: ['SECURITY.md', 'docs/trust/benchmarks.md', 'CHANGELOG.md', 'CONTRIBUTING.md'] },
]

/** The sections that the navigation opens at first. */
export const OPEN = ['Start', 'Receive']

/** The links in the header, also of the workbench. */
export const NAV = [
  { text: 'Guides', link: '/start/how-it-works.html' },
  { text: 'API', link: '/api/' },
  { text: 'Workbench', link: '/workbench.html', target: '_self' },
]

/** The labels of pages whose titles would need two lines in the navigation. */
export const LABELS = {
  'docs/debug/without-node.md': 'Without Node',
  'docs/operate/exactly-once.md': 'Retries, exactly once',
  'docs/operate/queue.md': 'Hand work to a queue',
  'docs/operate/sql.md': 'PostgreSQL, MySQL',
  'docs/receive/full-stack.md': 'Next.js, Nuxt, SvelteKit',
  'docs/receive/hono-bun-deno.md': 'Hono, Bun, Deno',
  'docs/receive/koa-hapi.md': 'Koa, hapi, Feathers, Adonis',
  'docs/receive/migrate.md': 'Migrate a check',
  'docs/receive/serverless.md': 'Lambda, Functions, Workers',
  'docs/receive/secrets.md': 'Many webhooks, secrets',
}

/** The address of a page of the repository, where it is not that of its file below `docs`. */
export const ADDRESSES = {
  'README.md': 'start/overview.md',
  'SECURITY.md': 'trust/security.md',
  'CHANGELOG.md': 'trust/changelog.md',
  'CONTRIBUTING.md': 'trust/contributing.md',
}
