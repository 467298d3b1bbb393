import { randomUUID } from 'node:crypto'
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { transformSync } from 'esbuild'
import { BUILD } from '../../nightly/packages/packages.js'
import { WRONG_TYPE } from '../../support/cases/header-spellings.js'
import { ROOT, sharedInstall } from '../../support/packed.js'

// Runs a recipe as a user does: the unchanged file, in a project with the packed library and the real framework. The other
// recipes are in test/nightly/frameworks/recipes.ts.

export const FOLDER = join(ROOT, 'docs/recipes')
/** A folder that only this run uses. */
const PROJECTS = join(BUILD, randomUUID())
export type Change = (source: string) => string

/** A recipe, and the behaviour of its framework. */
export interface Recipe {
  name: string
  /** The file under `docs/recipes`. */
  file: string
  /**
   * Puts a source into the project as a user does, and returns the command that runs it.
   *
   * @param change - what a test changed to get the source. An app with other recipes in it changes them, too.
   */
  install(project: string, source: string, change?: Change): readonly string[]
  /** The framework builds an app. This takes long, so `built.test.ts` tests these recipes beside the others. */
  isBuilt?: true
  /** The store of its nonces. */
  store?: 'Redis' | 'Durable Object'
  /** The answer to a gzipped body that is signed as sent. It is 204, except where the framework inflates it. */
  gzip?: 401
  /** The answer to 64 KB of headers, by default 431. */
  largeHeaders?: 204 | 400
  /** Its answers to unusual headers, if they differ from those of the others. The guide lists them. */
  spellings?: Readonly<Record<string, number>>
  /** By default `/hooks/billing`. */
  path?: string
  /** The framework loads the handler with the first request, so it starts without a secret. */
  loadsLate?: true
  /** Whether the handler runs for other methods and paths too. */
  answersAll?: true
  /** The rest of a body that is too large is read, because the handler gets the request afterwards or the adapter reads on. */
  readsRest?: 'before the handler' | 'after the answer'
  /** The platform passes JSON as text, so its decoder has changed invalid UTF-8 before the handler has the body. */
  decodesText?: true
  /** The framework parses JSON before the handler has the request, and logs a stack if it cannot, or if the sender hangs up. */
  parsesFirst?: true
}

/** API Gateway passes the whole body in the event. */
const ON_LAMBDA = { store: 'Redis', answersAll: true, readsRest: 'before the handler' } as const

/** The recipes for the frameworks in `devDependencies`. */
export const RECIPES: readonly Recipe[] = [
  { name: 'node:http', file: 'node-http.ts', install: compile },
  { name: 'Express 5', file: 'express.ts', install: compile },
  { name: 'Fastify', file: 'fastify.ts', install: compile, spellings: { [WRONG_TYPE]: 415 } },
  { name: 'Fetch', file: 'fetch.ts', install: serveByFetch, answersAll: true },
  { name: 'Lambda, payload 1.0', file: 'lambda.ts', install: putBehindGateway('1.0'), ...ON_LAMBDA },
  { name: 'Lambda, payload 2.0', file: 'lambda.ts', install: putBehindGateway('2.0'), decodesText: true, ...ON_LAMBDA },
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

/** Removes the types of a source, because Node 20 runs JavaScript only. */
function withoutTypes(source: string): string {
  return transformSync(source, { loader: 'ts', target: 'node20' }).code
}

/** Runs a source on the Node of this process. */
function compile(project: string, source: string): readonly string[] {
  writeFileSync(join(project, 'server.mjs'), withoutTypes(source))
  return [process.execPath, 'server.mjs']
}

/** Serves a handler of the Fetch API as frameworks do. */
function serveByFetch(project: string, source: string): readonly string[] {
  const serve = `
import { serve } from '@hono/node-server'
serve({ fetch: (request) => POST({ request }), port: Number(process.env['PORT']) })`
  return compile(project, source + serve)
}

function putBehindGateway(version: '1.0' | '2.0') {
  return (project: string, source: string) => {
    writeFileSync(join(project, 'lambda.mjs'), withoutTypes(source))
    copyFileSync(fileURLToPath(new URL('lambda-gateway.js', import.meta.url)), join(project, 'gateway.mjs'))
    return [process.execPath, 'gateway.mjs', './lambda.mjs', version]
  }
}
