import { codeBlock, generatedFrom, splitAnnotated } from './annotated.js'

// The page of each framework, from its recipe in docs/recipes.

/** The pages of docs/receive by name, and the files that each of them shows. */
const FILES = {
  adonisjs: ['adonisjs.ts'],
  bun: ['bun.ts'],
  deno: ['deno.ts'],
  express: ['express.ts'],
  fastify: ['fastify.ts'],
  feathers: ['feathers.ts'],
  'google-cloud-functions': ['google-cloud-functions.ts'],
  h3: ['h3.ts'],
  hapi: ['hapi.ts'],
  hono: ['hono.ts'],
  koa: ['koa.ts'],
  lambda: ['lambda.ts'],
  nestjs: ['nestjs.ts'],
  nextjs: [
    'nextjs/nonce-store.ts',
    'nextjs/instrumentation.ts',
    'nextjs/app/hooks/billing/route.ts',
    'nextjs/pages/api/hooks/billing.ts',
  ],
  nitro: ['nitro/server/routes/hooks/billing.post.ts', 'nitro/server/plugins/webhook-secret.ts'],
  'node-http': ['node-http.ts'],
  workers: ['worker.ts', 'webhook-nonces.ts', 'wrangler.json'],
}

const NEXT = `[Receive a webhook](index.md) says how to run and check a handler, and what else you must do. If a genuine request gets 401,
[find out why](../debug/index.md).`

/** @param {string} verb */
const otherScheme = (verb) => `If your sender speaks [Standard Webhooks](standard-webhooks.md), import \`${verb}\` from
\`'inbound-webhook-auth/standard-webhooks'\`. Nothing else changes.`

/**
 * Returns the function that a recipe imports to receive a webhook.
 *
 * @param {string} code
 */
const verbOf = (code) => /^import \{.*\b(handle|receive)\b.*\} from 'inbound-webhook-auth'$/m.exec(code)?.[1]

/**
 * @param {(path: string) => string} read
 * @returns {[path: string, text: string][]}
 */
export function frameworkPages(read) {
  return Object.entries(FILES).map(([name, files]) => {
    const paths = files.map((file) => `docs/recipes/${file}`)
    const parts = paths.map((path) => ({ path, source: read(path), ...splitAnnotated(read(path)) }))
    const shown = parts.flatMap(({ path, source, before }) => [
      before || `Save this as \`${path.replace(/^.*\//, '')}\`:`,
      codeBlock(path, source),
    ])
    const lists = parts.map(({ after }) => after).filter((after) => after !== '')
    const title = `# ${parts[0]?.title}`
    const verb = parts.map(({ code }) => verbOf(code)).find((found) => found !== undefined)
    if (verb === undefined) throw new Error(`No file of docs/receive/${name}.md imports handle or receive.`)
    const page = [generatedFrom(paths), title, ...shown, ...lists, otherScheme(verb), NEXT].join('\n\n')
    return [`docs/receive/${name}.md`, `${page}\n`]
  })
}
