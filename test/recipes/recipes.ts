import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'
import ts from 'typescript'
import { ROOT, sharedInstall } from '../support/packed.js'

// Every recipe as a user runs it: the unchanged file, in a project with the packed library and the real framework.

export const FOLDER = join(ROOT, 'docs/recipes')
/** Only of this run. */
const PROJECTS = join(FOLDER, 'build', randomUUID())
const RUNTIMES = join(ROOT, 'test/runtimes/node_modules')
const BUN = join(RUNTIMES, '@oven/bun-linux-x64/bin/bun')
const DENO = join(RUNTIMES, '@deno/linux-x64-glibc/deno')

/** The versions of Node that run TypeScript. */
export const NODES = [22, 24, 26].map(
  (version) => [`Node ${version}`, join(RUNTIMES, `node${version}/bin/node`)] as const,
)
/** Runs TypeScript on the Node of this process. */
const TSX = [process.execPath, '--import', 'tsx']

/** What a recipe needs besides Node. */
export const PROGRAMS = {
  frameworks: existsSync(join(FOLDER, 'node_modules')),
  bun: existsSync(BUN),
  deno: existsSync(DENO),
  runtimes: NODES.every(([, program]) => existsSync(program)),
} as const

/** A recipe, and the behaviour of its framework. */
export interface Recipe {
  name: string
  /** The file under `docs/recipes`. */
  file: string
  /** Puts a source into the project as a user does, and returns the command that runs it. */
  install(project: string, source: string): readonly string[]
  needs?: 'bun' | 'deno'
  /** The store of its nonces. */
  store: 'memory' | 'Redis' | 'Durable Object'
  /** The answer to a gzipped body that is signed as sent. */
  gzip: 204 | 415
  /** The answer to 64 KB of headers. */
  largeHeaders: 204 | 400 | 431
  /** What `/hooks/%zz` gets. */
  malformedPath: 400 | 404 | 500
  /** What happens to the rest of a body that is too large. */
  rest: 'unread' | 'read'
}

const ON_NODE = { store: 'memory', gzip: 204, largeHeaders: 431, malformedPath: 404, rest: 'unread' } as const

/** Next.js and API Gateway always read a body to its end. */
const WITH_REDIS = { store: 'Redis', rest: 'read' } as const

const ON_EXPRESS = { ...ON_NODE, malformedPath: 400 } as const

export const NEXT_ROUTE = 'nextjs/app/hooks/[name]/route.ts'

export const RECIPES: readonly Recipe[] = [
  { ...ON_NODE, name: 'node:http', file: 'node-http.ts', install: runBy(...TSX) },
  { ...ON_EXPRESS, name: 'Express 5', file: 'express.ts', install: runBy(...TSX) },
  { ...ON_EXPRESS, name: 'Express 4', file: 'express-4.ts', install: runWithExpress4 },
  { ...ON_NODE, name: 'Fastify', file: 'fastify.ts', install: runBy(...TSX), malformedPath: 400 },
  { ...ON_NODE, name: 'Koa', file: 'koa.ts', install: runBy(...TSX) },
  { ...ON_NODE, name: 'Hono', file: 'hono.ts', install: runBy(...TSX) },
  { ...ON_NODE, name: 'h3', file: 'h3.ts', install: runBy(...TSX), malformedPath: 400 },
  { ...ON_EXPRESS, name: 'NestJS', file: 'nestjs.ts', install: compileNest },
  { ...ON_NODE, ...WITH_REDIS, name: 'Next.js', file: NEXT_ROUTE, install: buildNext, malformedPath: 500 },
  { ...ON_NODE, ...WITH_REDIS, name: 'Lambda, payload 1.0', file: 'lambda.ts', install: putBehindGateway('1.0') },
  { ...ON_NODE, ...WITH_REDIS, name: 'Lambda, payload 2.0', file: 'lambda.ts', install: putBehindGateway('2.0') },
  {
    ...ON_NODE,
    name: 'Workers',
    file: 'worker.ts',
    install: bundleWorker,
    store: 'Durable Object',
    largeHeaders: 204,
  },
  { ...ON_NODE, name: 'Bun', file: 'bun.ts', install: runBy(BUN), needs: 'bun' },
  {
    ...ON_NODE,
    name: 'Deno',
    file: 'deno.ts',
    install: runBy(DENO, 'run', '--allow-net', '--allow-env'),
    needs: 'deno',
    largeHeaders: 400,
    rest: 'read',
  },
]

export function sourceOf({ file }: Pick<Recipe, 'file'>): string {
  return readFileSync(join(FOLDER, file), 'utf8')
}

/** A new project of `npm init`, with the packed library. The frameworks are in a folder above. */
export function createProject(): string {
  mkdirSync(PROJECTS, { recursive: true })
  const project = mkdtempSync(join(PROJECTS, 'project-'))
  writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "commonjs" }')
  cpSync(join(sharedInstall(), 'node_modules'), join(project, 'node_modules'), { recursive: true })
  return project
}

export function removeProjects(): void {
  rmSync(PROJECTS, { recursive: true, force: true })
}

function runBy(...command: string[]) {
  return (project: string, source: string) => {
    writeFileSync(join(project, 'server.mts'), source)
    return [...command, 'server.mts']
  }
}

function runWithExpress4(project: string, source: string): readonly string[] {
  symlinkSync(join(FOLDER, 'node_modules/express4'), join(project, 'node_modules/express'))
  return runBy(...TSX)(project, source)
}

function compileNest(project: string, source: string): readonly string[] {
  const decorators = { experimentalDecorators: true, emitDecoratorMetadata: true }
  const compilerOptions = { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022, ...decorators }
  writeFileSync(join(project, 'main.js'), ts.transpileModule(source, { compilerOptions }).outputText)
  return [process.execPath, 'main.js']
}

function buildNext(project: string, source: string): readonly string[] {
  const route = join(project, NEXT_ROUTE.replace('nextjs/', ''))
  mkdirSync(dirname(route), { recursive: true })
  writeFileSync(route, source)
  // The settings of create-next-app.
  writeFileSync(join(project, 'package.json'), '{ "private": true }')
  writeFileSync(join(project, 'tsconfig.json'), '{ "compilerOptions": { "strict": true } }')
  const next = [join(FOLDER, 'node_modules/next/dist/bin/next')]
  const env = { ...process.env, NEXT_TELEMETRY_DISABLED: '1' }
  execFileSync(process.execPath, [...next, 'build'], { cwd: project, env, stdio: 'pipe' })
  return [process.execPath, ...next, 'start']
}

function putBehindGateway(version: '1.0' | '2.0') {
  return (project: string, source: string) => {
    writeFileSync(join(project, 'lambda.mts'), source)
    copyFileSync(fileURLToPath(new URL('lambda-gateway.js', import.meta.url)), join(project, 'gateway.mjs'))
    return [...TSX, 'gateway.mjs', './lambda.mts', version]
  }
}

export function bundleWorker(project: string, source: string): readonly string[] {
  writeFileSync(join(project, 'worker.mts'), source)
  // Bundled as wrangler does.
  buildSync({
    absWorkingDir: project,
    entryPoints: ['worker.mts'],
    outfile: join(project, 'bundle.mjs'),
    bundle: true,
    format: 'esm',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['cloudflare:*', 'node:*'],
    logLevel: 'warning',
  })
  const runner = fileURLToPath(new URL('workerd.js', import.meta.url))
  return [process.execPath, runner, join(project, 'bundle.mjs'), join(FOLDER, 'wrangler.json'), join(FOLDER, '/')]
}
