import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'
import ts from 'typescript'
import { type Change, FOLDER, RECIPES, type Recipe, sourceOf } from '../../docs/recipes/recipes.js'
import { MANY_OTHERS, WRONG_TYPE } from '../../support/cases/header-spellings.js'
import { codeBlocks } from '../../support/code-blocks.js'
import { PACKAGES } from '../packages/packages.js'
import { ADONIS_APP, MORE_VARIABLES } from './adonis-app.js'

// All recipes that test/docs/recipes/recipes.ts leaves out.

const BUN = join(PACKAGES, '@oven/bun-linux-x64/bin/bun')
const DENO = join(PACKAGES, '@deno/linux-x64-glibc/deno')

/** The versions of Node that run TypeScript. */
export const NODES = [22, 24, 26].map(
  (version) => [`Node ${version}`, join(PACKAGES, `node${version}/bin/node`)] as const,
)
/** Runs TypeScript on the Node of this process. */
const TSX = [process.execPath, '--import', 'tsx']

/** The two ways to receive in Next.js, below `docs/recipes/nextjs`. */
const NEXT_ROUTES = ['app/hooks/billing/route.ts', 'pages/api/hooks/billing.ts'] as const

/** The route of Nitro and Nuxt, below `docs/recipes`. */
export const NITRO_ROUTE = 'nitro/server/routes/hooks/billing.post.ts'

/** The framework reads every body, and inflates it, before it calls the function. */
const ON_GOOGLE = { gzip: 401, answersAll: true, readsRest: 'before the handler', parsesFirst: true } as const

export const ALL_RECIPES: readonly Recipe[] = [
  ...RECIPES,
  { name: 'Express 4', file: 'express.ts', install: runWith({ express: 'express4' }) },
  { name: 'Koa', file: 'koa.ts', install: runBy(...TSX) },
  { name: 'Hono', file: 'hono.ts', install: runBy(...TSX) },
  { name: 'h3', file: 'h3.ts', install: runBy(...TSX) },
  { name: 'Nitro', file: NITRO_ROUTE, install: buildNitro, isBuilt: true },
  { name: 'Nuxt', file: NITRO_ROUTE, install: buildNuxt, isBuilt: true },
  { name: 'hapi', file: 'hapi.ts', install: runBy(...TSX), largeHeaders: 400, spellings: { [WRONG_TYPE]: 400 } },
  { name: 'Feathers', file: 'feathers.ts', install: runBy(...TSX) },
  { name: 'NestJS', file: 'nestjs.ts', install: compileNest },
  { name: 'NestJS with Fastify', file: 'nestjs.ts', install: compileNestOnFastify, spellings: { [WRONG_TYPE]: 415 } },
  { name: 'AdonisJS', file: 'adonisjs.ts', install: installInAdonis },
  // The guide says what to change in the handler for Express.
  { name: 'Polka', file: 'express.ts', install: installPolka },
  { name: 'Restify', file: 'express.ts', install: installRestify },
  { name: 'SvelteKit', file: 'fetch.ts', install: buildSvelteKit, isBuilt: true },
  { name: 'React Router', file: 'fetch.ts', install: buildReactRouter, isBuilt: true },
  { name: 'Astro', file: 'fetch.ts', install: buildAstro, loadsLate: true, isBuilt: true },
  { name: 'Google Cloud Functions', file: 'google-cloud-functions.ts', install: installFunction, ...ON_GOOGLE },
  {
    name: 'Next.js',
    file: `nextjs/${NEXT_ROUTES[0]}`,
    install: buildNext,
    store: 'Redis',
    isBuilt: true,
  },
  {
    name: 'Next.js API routes',
    file: `nextjs/${NEXT_ROUTES[1]}`,
    install: buildNext,
    store: 'Redis',
    isBuilt: true,
    path: '/api/hooks/billing',
    answersAll: true,
  },
  {
    name: 'Workers',
    file: 'worker.ts',
    install: (project, source) => bundleWorker(project, source),
    store: 'Durable Object',
    largeHeaders: 204,
    answersAll: true,
    // The server of the tests, in front of the Worker, reads these headers differently.
    spellings: { 'spaces and tabs around values': 401, 'a space before the colon': 204, 'a nonce that is folded': 401 },
  },
  { name: 'Bun', file: 'bun.ts', install: runBy(BUN), spellings: { [MANY_OTHERS]: 431 } },
  {
    name: 'Deno',
    file: 'deno.ts',
    install: runBy(DENO, 'run', '--allow-net', '--allow-env'),
    largeHeaders: 400,
    spellings: { [MANY_OTHERS]: 400 },
    readsRest: 'after the answer',
  },
]

function runBy(...command: string[]) {
  return (project: string, source: string) => {
    writeFileSync(join(project, 'server.mts'), source)
    return [...command, 'server.mts']
  }
}

/** Runs a source with other versions of packages: their names in `test/nightly/packages/package.json` by their usual names. */
export function runWith(aliases: Record<string, string>) {
  return (project: string, source: string) => {
    for (const [name, alias] of Object.entries(aliases)) {
      symlinkSync(join(PACKAGES, alias), join(project, 'node_modules', name))
    }
    return runBy(...TSX)(project, source)
  }
}

/** Returns the files of a guide's page by path: the code blocks that begin with a comment with the file's path. */
function filesOf(page: string): ReadonlyMap<string, string> {
  const blocks = codeBlocks(readFileSync(join(FOLDER, '../receive', page), 'utf8'), '(?:ts|js)')
  return new Map(blocks.map((block) => [/^\/\/ (\S+)\n/.exec(block)?.[1] ?? '', block]))
}

function writeFilesOf(page: string, project: string, isFile: (path: string) => boolean): void {
  for (const [path, text] of filesOf(page)) if (path !== '' && isFile(path)) writeInto(project, path, text)
}

const NODE_24 = join(PACKAGES, 'node24/bin/node')

/** Writes a file, and the folders that it needs. */
function writeInto(project: string, path: string, text: string): void {
  mkdirSync(dirname(join(project, path)), { recursive: true })
  writeFileSync(join(project, path), text)
}

const NITRO = 'nitropack/dist/cli/index.mjs'
const NEXT = 'next/dist/bin/next'
const NUXT = 'nuxt/bin/nuxt.mjs'

const ES_MODULES = '{ "private": true, "type": "module" }'

function buildSvelteKit(project: string, source: string): readonly string[] {
  writeFileSync(join(project, 'package.json'), ES_MODULES)
  writeFilesOf('full-stack.md', project, (path) => /^src|^vite/.test(path))
  // The guide replaces the lines that read the secret.
  const handler = filesOf('full-stack.md').get('src/routes/hooks/billing/+server.ts') ?? ''
  const changed = source.replace(/^const \{ WEBHOOK_SECRET[\s\S]*?is not set'\)\n/m, '')
  writeInto(project, 'src/routes/hooks/billing/+server.ts', `${handler}\n${changed}`)
  writeFileSync(join(project, 'src/app.html'), '%sveltekit.head% %sveltekit.body%')
  build(project, NODE_24, 'vite/bin/vite.js', 'build')
  return ['env', 'BODY_SIZE_LIMIT=Infinity', NODE_24, 'build/index.js']
}

function buildReactRouter(project: string, source: string): readonly string[] {
  // If isbot is missing, React Router installs it.
  const dependencies = { isbot: '*' }
  writeFileSync(join(project, 'package.json'), JSON.stringify({ private: true, type: 'module', dependencies }))
  writeFilesOf('full-stack.md', project, (path) => /^app/.test(path))
  writeInto(project, 'app/billing.ts', source.replace('const POST', 'const action'))
  writeFileSync(join(project, 'app/root.tsx'), "export { Outlet as default } from 'react-router'")
  const config = "import { reactRouter } from '@react-router/dev/vite'\nexport default { plugins: [reactRouter()] }"
  writeFileSync(join(project, 'vite.config.ts'), config)
  build(project, NODE_24, '@react-router/dev/bin.cjs', 'build')
  return [NODE_24, join(PACKAGES, '@react-router/serve/bin.cjs'), 'build/server/index.js']
}

function buildAstro(project: string, source: string): readonly string[] {
  writeFileSync(join(project, 'package.json'), ES_MODULES)
  writeFilesOf('full-stack.md', project, (path) => /^astro/.test(path))
  writeInto(project, 'src/pages/hooks/billing.ts', source.concat('export const prerender = false\n'))
  build(project, process.execPath, 'astro/astro.js', 'build')
  return [process.execPath, 'dist/server/entry.mjs']
}

/** Writes the files that Nitro and Nuxt both need. */
function writeNitroServer(project: string, source: string): void {
  writeFileSync(join(project, 'package.json'), ES_MODULES)
  cpSync(join(FOLDER, 'nitro'), project, { recursive: true })
  writeInto(project, NITRO_ROUTE.replace('nitro/', ''), source)
  // As npm installs it beside Nitro.
  symlinkSync(join(PACKAGES, 'nitropack/node_modules/h3'), join(project, 'node_modules/h3'))
}

function writeNitroApp(project: string, source: string): void {
  writeNitroServer(project, source)
  const config = "export default defineNitroConfig({ srcDir: 'server', compatibilityDate: '2026-01-01' })"
  writeFileSync(join(project, 'nitro.config.ts'), config)
}

function buildNitro(project: string, source: string): readonly string[] {
  writeNitroApp(project, source)
  build(project, process.execPath, NITRO, 'build')
  return [process.execPath, '.output/server/index.mjs']
}

/** Creates an app, and only generates its types. */
export function prepareNitro(project: string, source: string): void {
  writeNitroApp(project, source)
  build(project, process.execPath, NITRO, 'prepare')
}

function writeNuxtApp(project: string, source: string): void {
  writeNitroServer(project, source)
  writeFileSync(join(project, 'nuxt.config.ts'), "export default defineNuxtConfig({ compatibilityDate: '2026-01-01' })")
  writeInto(project, 'app/pages/about.vue', '<template><p>an app</p></template>')
}

function buildNuxt(project: string, source: string): readonly string[] {
  writeNuxtApp(project, source)
  build(project, NODE_24, NUXT, 'build')
  return [NODE_24, '.output/server/index.mjs']
}

/** Creates an app, and only generates its types. */
export function prepareNuxt(project: string, source: string): void {
  writeNuxtApp(project, source)
  build(project, NODE_24, NUXT, 'prepare')
}

export function installInAdonis(project: string, source: string): readonly string[] {
  for (const [path, text] of Object.entries(ADONIS_APP)) writeInto(project, path, text)
  // The guide adds a line to two files.
  const lines = filesOf('koa-hapi.md')
  const change = (path: string, add: (text: string, line: string) => string) => {
    writeInto(project, path, add(ADONIS_APP[path] ?? '', lines.get(path) ?? ''))
  }
  change('start/env.ts', (text, line) => text.replace(MORE_VARIABLES, line))
  change('start/kernel.ts', (text, line) => text + line)
  writeInto(project, 'app/middleware/receive_webhook.ts', source)
  return ['env', 'HOST=127.0.0.1', NODE_24, '--import', 'tsx', 'bin/server.ts']
}

function installPolka(project: string, source: string): readonly string[] {
  const changed = source
    .replace("import express from 'express'", "import polka from 'polka'")
    .replace('express()', 'polka()')
    .replace('response.sendStatus(204)', 'response.writeHead(204).end()')
  return runBy(...TSX)(project, changed)
}

function installRestify(project: string, source: string): readonly string[] {
  const changed = source
    .replace("import express from 'express'", "import restify from 'restify'")
    .replace('express()', 'restify.createServer()')
    .replace('response.sendStatus(204)', 'response.send(204)')
  return runBy(NODE_24, '--import', 'tsx')(project, changed)
}

const NO_TELEMETRY = { ASTRO_TELEMETRY_DISABLED: '1', NEXT_TELEMETRY_DISABLED: '1', NUXT_TELEMETRY_DISABLED: '1' }

/** Runs the build of a framework. */
function build(project: string, node: string, script: string, ...args: string[]): void {
  const env = { ...process.env, ...NO_TELEMETRY, WEBHOOK_SECRET: 'only for the build' }
  execFileSync(node, [join(PACKAGES, script), ...args], { cwd: project, env, stdio: 'pipe' })
}

function installFunction(project: string, source: string): readonly string[] {
  writeFileSync(join(project, 'package.json'), '{ "main": "index.mjs" }')
  writeFileSync(join(project, 'index.mjs'), source)
  const framework = join(PACKAGES, '@google-cloud/functions-framework/build/src/main.js')
  return [process.execPath, framework, '--target=billing']
}

function compileNest(project: string, source: string): readonly string[] {
  const decorators = { experimentalDecorators: true, emitDecoratorMetadata: true }
  const compilerOptions = { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022, ...decorators }
  writeFileSync(join(project, 'main.js'), ts.transpileModule(source, { compilerOptions }).outputText)
  return [process.execPath, 'main.js']
}

function compileNestOnFastify(project: string, source: string): readonly string[] {
  return compileNest(project, onFastify(source))
}

/** Changes the handler for NestJS as the guide says. */
export function onFastify(source: string): string {
  const [, lines = ''] = codeBlocks(readFileSync(join(FOLDER, '../receive/nestjs.md'), 'utf8'), 'ts')
  const [imports = '', ...start] = lines.split('\n\n')
  const changed = source
    .replace(/^import .* from 'express'\n/m, '')
    .replace('request: Request, @Res() response: Response', 'request: FastifyRequest, @Res() response: FastifyReply')
    .replace('response.sendStatus(204)', 'response.code(204).send()')
    .replace('refuse(response, error)', 'refuse(response.hijack().raw, error)')
    .replace(/^NestFactory\.create[\s\S]*/m, start.join('\n\n'))
  return `${imports}\n${changed}`
}

/** The apps of Next.js by the change of their sources. Both ways to receive are in one app, because a build takes half a minute. */
const nextApps = new Map<Change | undefined, string>()

function buildNext(project: string, _: string, change?: Change): readonly string[] {
  const app = nextApps.get(change) ?? project
  if (!nextApps.has(change)) {
    nextApps.set(change, app)
    cpSync(join(FOLDER, 'nextjs'), app, { recursive: true })
    for (const route of NEXT_ROUTES) {
      const source = sourceOf({ file: `nextjs/${route}` })
      writeFileSync(join(app, route), change === undefined ? source : change(source))
    }
    // The settings of create-next-app.
    writeFileSync(join(app, 'package.json'), '{ "private": true }')
    writeFileSync(join(app, 'tsconfig.json'), '{ "compilerOptions": { "strict": true } }')
    build(app, process.execPath, NEXT, 'build')
  }
  return [process.execPath, join(PACKAGES, NEXT), 'start', app]
}

export function bundleWorker(
  project: string,
  source: string,
  nonces = sourceOf({ file: 'webhook-nonces.ts' }),
): readonly string[] {
  writeFileSync(join(project, 'worker.ts'), source)
  writeFileSync(join(project, 'webhook-nonces.ts'), nonces)
  // The Worker is bundled as wrangler bundles it.
  buildSync({
    absWorkingDir: project,
    entryPoints: ['worker.ts'],
    outfile: join(project, 'bundle.mjs'),
    bundle: true,
    format: 'esm',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['cloudflare:*', 'node:*'],
    logLevel: 'warning',
  })
  const runner = fileURLToPath(new URL('workerd.js', import.meta.url))
  return [process.execPath, runner, join(project, 'bundle.mjs'), join(FOLDER, 'wrangler.json')]
}
