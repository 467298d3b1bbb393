// The order of the pages. This is the only place to change when a guide is added or moved.

/**
 * A section of the navigation. It has the pages of `first` in that order, then all others of its folder.
 *
 * @typedef {{ title: string, folder: string, first: readonly string[] }} Section
 */

/** @type {readonly Section[]} */
export const SECTIONS = [
  {
    title: 'Start',
    folder: 'docs/start',
    first: ['README.md', 'docs/start/is-it-for-me.md', 'docs/start/how-it-works.md'],
  },
  {
    title: 'Receive',
    folder: 'docs/receive',
    first: [
      'index',
      'node-http',
      'express',
      'fastify',
      'koa',
      'hono',
      'h3',
      'hapi',
      'nestjs',
      'adonisjs',
      'feathers',
      'nextjs',
      'nuxt',
      'nitro',
      'astro',
      'fetch',
      'lambda',
      'google-cloud-functions',
      'workers',
      'bun',
      'deno',
      'standard-webhooks',
      'many-tenants',
      'compressed',
    ].map((name) => `docs/receive/${name}.md`),
  },
  { title: 'Send', folder: 'docs/send', first: ['docs/send/index.md', 'docs/send/node.md'] },
  {
    title: 'Operate',
    folder: 'docs/operate',
    first: [
      'index',
      'sqlite',
      'redis',
      'postgres',
      'mysql',
      'dynamodb',
      'your-own',
      'nothing-lost',
      'sizing',
      'observability',
      'failures',
    ].map((name) => `docs/operate/${name}.md`),
  },
  {
    title: 'Debug',
    folder: 'docs/debug',
    first: ['index', 'command-line', 'findings', 'without-node'].map((name) => `docs/debug/${name}.md`),
  },
  { title: 'Reference', folder: 'docs/reference', first: ['docs/reference/errors.md'] },
  {
    title: 'Trust',
    folder: 'docs/trust',
    first: ['SECURITY.md', 'docs/trust/benchmarks.md', 'CHANGELOG.md', 'CONTRIBUTING.md'],
  },
]

/** The labels of pages whose titles would need two lines in the navigation. */
export const LABELS = {
  'docs/debug/without-node.md': 'Without Node',
  'docs/receive/migrate.md': 'Migrate a check',
}

/** The address of a page of the repository, where it is not that of its file below `docs`. */
export const ADDRESSES = {
  'README.md': 'start/overview.md',
  'SECURITY.md': 'trust/security.md',
  'CHANGELOG.md': 'trust/changelog.md',
  'CONTRIBUTING.md': 'trust/contributing.md',
}
