import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { codeBlock, splitAnnotated } from '../../../docs/generate/annotated.js'
import { ALL_RECIPES } from '../../nightly/frameworks/recipes.js'
import { FULL } from '../../nightly/packages/packages.js'
import { codeBlocks } from '../../support/code-blocks.js'
import { ROOT } from '../../support/packed.js'
import { FOLDER } from './recipes.js'

const GUIDE = join(FOLDER, '../receive')
const names = readdirSync(GUIDE).filter((name) => name.endsWith('.md'))
const pages = new Map(names.map((page) => [page, readFileSync(join(GUIDE, page), 'utf8')]))
const filesIn = (folder: string, recursive = true) =>
  readdirSync(join(FOLDER, folder), { recursive, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name))
const codeOf = (file: string) => splitAnnotated(readFileSync(join(FOLDER, file), 'utf8')).code
const files = [...filesIn('', false), ...filesIn('nextjs'), ...filesIn('nitro')]
const eventPages = ['exactly-once', 'queue', 'events'].map((page) =>
  readFileSync(join(FOLDER, `../operate/${page}.md`), 'utf8'),
)

describe('the guide to recipes', () => {
  it.each([...files, ...filesIn('events'), 'wrangler.json'])('shows docs/recipes/%s on one page', (file) => {
    const code = `\n${codeBlock(file, readFileSync(join(FOLDER, file), 'utf8'))}\n`
    expect([...pages.values(), ...eventPages].filter((page) => page.includes(code))).toHaveLength(1)
  })

  it.each(ALL_RECIPES.map(({ file }) => file))('has a test that runs %s', (file) => {
    expect(files).toContain(file)
  })

  it('links every page from its index', () => {
    const index = pages.get('index.md') ?? ''
    const others = [...pages.keys()].filter((page) => page !== 'index.md')
    expect(others.filter((page) => !index.includes(`(${page})`) && !index.includes(`(${page}#`))).toEqual([])
  })
})

describe('the page of a framework names the version that is tested', () => {
  const { dependencies } = JSON.parse(readFileSync(join(FULL, 'package.json'), 'utf8'))

  it.each([
    ['express.md', 'Express', 'express'],
    ['express.md', 'Express', 'express4'],
    ['fastify.md', 'Fastify', 'fastify'],
    ['koa-hapi.md', 'Koa', 'koa'],
    ['hono-bun-deno.md', 'Hono', 'hono'],
    ['hono-bun-deno.md', '`@hono/node-server`', '@hono/node-server'],
    ['full-stack.md', 'h3 version', 'h3'],
    ['full-stack.md', 'Nitro', 'nitropack'],
    ['full-stack.md', 'Nuxt', 'nuxt'],
    ['koa-hapi.md', 'hapi', '@hapi/hapi'],
    ['koa-hapi.md', 'AdonisJS', '@adonisjs/core'],
    ['full-stack.md', 'Astro', 'astro'],
    ['nestjs.md', 'NestJS', '@nestjs/core'],
    ['koa-hapi.md', 'Feathers', '@feathersjs/feathers'],
    ['full-stack.md', 'Next.js', 'next'],
    ['full-stack.md', 'SvelteKit', '@sveltejs/kit'],
    ['full-stack.md', 'React Router', 'react-router'],
    ['serverless.md', '`@google-cloud/functions-framework`', '@google-cloud/functions-framework'],
  ])('%s: %s', (page, name, dependency) => {
    const [, major = ''] = /(\d+)\./.exec(dependencies[dependency]) ?? []
    expect(pages.get(page)).toMatch(new RegExp(`${name} ${major}\\b`))
  })
})

it('the quickstart of the README is the handler for Express', () => {
  const handler = codeBlocks(readFileSync(join(ROOT, 'README.md'), 'utf8'), 'js').find((code) =>
    code.includes('.listen('),
  )
  const recipe = codeOf('express.ts').replace(", PORT = '3000'", '').replace('Number(PORT)', '3000')
  expect(handler).toBe(recipe.trimEnd())
})
