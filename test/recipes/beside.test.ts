import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { isInstalled } from '../support/programs.js'
import { Server } from '../support/server-process.js'
import { createProject, FOLDER, PROGRAMS, RECIPES, removeProjects, sourceOf } from './recipes.js'

// A recipe in a service that does other things besides.

const ready = isInstalled('the frameworks of the recipes', PROGRAMS.frameworks)

afterAll(removeProjects)

/** A route of its own, which takes JSON, put where a service may have it. */
const OTHER_ROUTES: Record<string, (source: string) => string> = {
  'Express 5': (source) =>
    source.replace(
      'app.use((error',
      `app.use(express.json())
      app.post('/other', (request, response) => response.json(request.body))
      app.use((error`,
    ),
  Fastify: (source) =>
    source.replace('await app.listen', `app.post('/other', async (request) => request.body)\nawait app.listen`),
  Koa: (source) =>
    source.replace(
      '.listen(',
      `.use((await import('@koa/bodyparser')).bodyParser())
      .use((ctx) => {
        ctx.body = ctx.request.body
      })
      .listen(`,
    ),
  NestJS: (source) =>
    source
      .replace('controllers: [', 'controllers: [OtherController, ')
      .replace(
        '@Module(',
        `@Controller('other') class OtherController { @Post() @HttpCode(200) echo(@Body() body: unknown) { return body } }
        @Module(`,
      )
      .replace('BadRequestException,', 'BadRequestException, Body,'),
}

describe.runIf(ready)('the recipe leaves other routes their body parser', () => {
  it.each(Object.entries(OTHER_ROUTES))('for %s', async (name, withOtherRoute) => {
    const recipe = RECIPES.find((known) => known.name === name)
    if (recipe === undefined) throw new Error(`no recipe for ${name}`)
    const project = createProject()
    const server = await Server.start(recipe.install(project, withOtherRoute(sourceOf(recipe))), project)
    try {
      const answer = await fetch(`http://127.0.0.1:${server.port}/other`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: '{"a":[1]}',
      })
      expect(await answer.text()).toBe('{"a":[1]}')
    } finally {
      await server.stop()
    }
  })
})

describe.runIf(ready)('the recipe for NestJS holds its types', () => {
  it.each(['commonjs', 'module'])('in a package of type %s', (type) => {
    const project = createProject()
    writeFileSync(join(project, 'main.ts'), sourceOf({ file: 'nestjs.ts' }))
    writeFileSync(join(project, 'package.json'), JSON.stringify({ private: true, type }))
    const decorators = { experimentalDecorators: true, emitDecoratorMetadata: true }
    const compilerOptions = { module: 'nodenext', target: 'es2022', strict: true, skipLibCheck: true, noEmit: true }
    const config = { compilerOptions: { ...compilerOptions, ...decorators, types: ['node'] }, files: ['main.ts'] }
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(config))
    const tsc = join(FOLDER, '../../node_modules/typescript/bin/tsc')
    expect(spawnSync(process.execPath, [tsc], { cwd: project, encoding: 'utf8' }).stdout).toBe('')
  })
})
