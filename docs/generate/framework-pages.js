import { codeBlock, generatedFrom, splitAnnotated } from './annotated.js'

// The page of each framework, from its recipe in docs/recipes.

/**
 * The pages of docs/receive by name, and the files that each of them shows. A page with a title has a section per framework.
 *
 * @type {Record<string, { title?: string, files: readonly string[] }>}
 */
const PAGES = {
  express: { files: ['express.ts'] },
  fastify: { files: ['fastify.ts'] },
  'full-stack': {
    title: 'Receive with Next.js, Nuxt, SvelteKit, Astro or React Router',
    files: [
      'nextjs/nonce-store.ts',
      'nextjs/instrumentation.ts',
      'nextjs/app/hooks/billing/route.ts',
      'nextjs/pages/api/hooks/billing.ts',
      'nitro/server/routes/hooks/billing.post.ts',
      'nitro/server/plugins/webhook-secret.ts',
      'h3.ts',
      'fetch.ts',
    ],
  },
  'hono-bun-deno': { title: 'Receive with Hono, Bun or Deno', files: ['hono.ts', 'bun.ts', 'deno.ts'] },
  'koa-hapi': {
    title: 'Receive with Koa, hapi, Feathers or AdonisJS',
    files: ['koa.ts', 'hapi.ts', 'feathers.ts', 'adonisjs.ts'],
  },
  nestjs: { files: ['nestjs.ts'] },
  'node-http': { files: ['node-http.ts'] },
  serverless: {
    title: 'Receive with AWS Lambda, Cloud Functions or Workers',
    files: ['lambda.ts', 'google-cloud-functions.ts', 'worker.ts', 'webhook-nonces.ts', 'wrangler.json'],
  },
}

const NEXT = `Before you deploy, read [what you must do](index.md#what-you-must-do) and [test the handler](test-your-handler.md). If a valid request gets
401, [find out why](../debug/index.md) with \`npx -y inbound-webhook-tools listen\`.`

/** @param {string} verb */
const otherScheme = (verb) => `If your sender uses [Standard Webhooks](standard-webhooks.md), import \`${verb}\` from
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
  return Object.entries(PAGES).map(([name, { title, files }]) => {
    const paths = files.map((file) => `docs/recipes/${file}`)
    const parts = paths.map((path) => ({ path, source: read(path), ...splitAnnotated(read(path)) }))
    const shown = parts.flatMap(({ path, source, title: section, before, after }) => [
      title !== undefined && section !== '' ? `## ${section}` : '',
      before || `Save this as \`${path.replace(/^.*\//, '')}\`:`,
      codeBlock(path, source),
      title === undefined ? '' : after,
    ])
    const lists = title === undefined ? parts.map(({ after }) => after) : []
    const verb = parts.map(({ code }) => verbOf(code)).find((found) => found !== undefined)
    if (verb === undefined) throw new Error(`No file of docs/receive/${name}.md imports handle or receive.`)
    const heading = `# ${title ?? parts[0]?.title}`
    const texts = [generatedFrom(paths), heading, ...shown, ...lists, otherScheme(verb), NEXT].filter(
      (text) => text !== '',
    )
    return [`docs/receive/${name}.md`, `${texts.join('\n\n')}\n`]
  })
}
