import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { createProject, removeProjects, sourceOf } from '../../docs/recipes/recipes.js'
import { ROOT } from '../../support/packed.js'
import { send, signedHeaders } from '../../support/raw-client.js'
import { Server } from '../../support/server-process.js'
import { STRICT } from '../../support/strict.js'
import { PACKAGES } from '../packages/packages.js'
import { ALL_RECIPES, installInAdonis, NITRO_ROUTE, NODES, onFastify, prepareNitro, prepareNuxt } from './recipes.js'

// The recipes are strict TypeScript, and all except one run without a compiler.

afterAll(removeProjects)

const ON_NODE = { module: 'nodenext', types: ['node'] }
/** The settings of `nest new`. The rest is the same for packages of both types. */
const NEST = {
  ...ON_NODE,
  verbatimModuleSyntax: false,
  experimentalDecorators: true,
  emitDecoratorMetadata: true,
}

/** The recipes that Node runs. Next.js checks the types of its route itself, when it builds. */
const SERVERS = ['node-http', 'express', 'fastify', 'koa', 'hono', 'h3', 'hapi', 'feathers'].map((name) => `${name}.ts`)
const OTHERS = [
  ...['lambda', 'fetch', 'google-cloud-functions', 'many-webhooks', 'webhooks-table', 'migrate', 'compressed'],
].map((name) => `${name}.ts`)

const EVENTS = readdirSync(join(ROOT, 'docs/recipes/events')).map((file) => `events/${file}`)

const WORKERS = { module: 'esnext', moduleResolution: 'bundler', types: ['@cloudflare/workers-types', 'node'] }

const PROJECTS: [files: string[], options: object, type?: 'commonjs' | 'module'][] = [
  [[...SERVERS, ...OTHERS], ON_NODE, 'module'],
  [['express.ts', 'many-webhooks.ts'], ON_NODE, 'module'],
  [EVENTS, ON_NODE, 'module'],
  [['nestjs.ts'], NEST, 'commonjs'],
  [['nestjs.ts'], NEST, 'module'],
  [['worker.ts', 'webhook-nonces.ts'], WORKERS],
  [['bun.ts'], { module: 'esnext', moduleResolution: 'bundler', types: ['bun'] }],
  [['deno.ts'], { module: 'nodenext', types: ['deno', 'node'] }, 'module'],
]

/** The oldest and the newest version that the tests have. */
const COMPILERS = ['typescript', 'typescript-7'].map((name) => join(ROOT, 'node_modules', name, 'bin/tsc'))

/** Returns what each compiler prints. */
function compile(project: string): string[] {
  return COMPILERS.map((tsc) => spawnSync(process.execPath, [tsc], { cwd: project, encoding: 'utf8' }).stdout)
}

/** The recipes that need the types of their app. */
const APPS = [
  {
    file: NITRO_ROUTE,
    create: prepareNitro,
    extend: './.nitro/types/tsconfig.json',
    include: ['.nitro/types/*.d.ts', 'server'],
  },
  {
    file: NITRO_ROUTE,
    create: prepareNuxt,
    extend: './.nuxt/tsconfig.server.json',
    include: ['.nuxt/types/nitro.d.ts', 'server'],
  },
  { file: 'adonisjs.ts', create: installInAdonis, extend: undefined, include: ['app/middleware', 'start'] },
]

/** Puts another version of a package into a project. */
function link(name: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true })
  symlinkSync(join(PACKAGES, name), path)
}

describe('strict TypeScript without syntax to compile', () => {
  it.each(PROJECTS)('%j', (files, options, type = 'module') => {
    const project = createProject()
    writeFileSync(join(project, 'package.json'), JSON.stringify({ private: true, type }))
    for (const file of files) {
      mkdirSync(dirname(join(project, file)), { recursive: true })
      writeFileSync(join(project, file), sourceOf({ file }))
    }
    if (files[0] === 'express.ts') link('@types/express4', join(project, 'node_modules/@types/express'))
    const config = { compilerOptions: { ...STRICT, ...options }, files }
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(config))
    expect(compile(project)).toEqual(['', ''])
  })

  it.each(APPS)('$file, with the types that $create.name generates', ({ file, create, extend, include }) => {
    const project = createProject()
    create(project, sourceOf({ file }))
    const compilerOptions = { ...STRICT, ...(extend === undefined ? ON_NODE : { types: ['node'] }) }
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ extends: extend, compilerOptions, include }))
    expect(compile(project)).toEqual(['', ''])
  })

  it('nestjs.ts, changed for Fastify', () => {
    const project = createProject()
    writeFileSync(join(project, 'nestjs.ts'), onFastify(sourceOf({ file: 'nestjs.ts' })))
    const config = { compilerOptions: { ...STRICT, ...NEST }, files: ['nestjs.ts'] }
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(config))
    expect(compile(project)).toEqual(['', ''])
  })

  it('covers every recipe', () => {
    const checked = new Set([...PROJECTS.flatMap(([files]) => files), ...APPS.map(({ file }) => file)])
    const others = ALL_RECIPES.map(({ file }) => file).filter((file) => !checked.has(file))
    expect(others.filter((file) => !file.startsWith('nextjs/'))).toEqual([])
  })
})

/** The recipes that run without a compiler, by name. */
const AS_THEY_ARE = SERVERS.map((file) => [file, sourceOf({ file })] as const)

describe.each(NODES)('%s', (version, program) => {
  it.each(AS_THEY_ARE)('runs %s unchanged', async (_, source) => {
    const project = createProject()
    writeFileSync(join(project, 'server.mts'), source)
    const server = await Server.start([program, 'server.mts'], project)
    try {
      const body = Buffer.from('{"event":"invoice.paid"}')
      const headers = signedHeaders({ body })
      expect(await send(server.port, { headers, body })).toMatchObject({ status: 204 })
      expect(await send(server.port, { headers, body })).toMatchObject({ status: 401 })
      // Node 22 says that it is experimental.
      if (version !== 'Node 22') expect(server.output).not.toMatch(/warning/i)
    } finally {
      await server.stop()
    }
  })
})
