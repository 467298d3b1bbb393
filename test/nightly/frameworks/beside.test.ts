import { afterAll, expect, it } from 'vitest'
import { createProject, removeProjects, sourceOf } from '../../docs/recipes/recipes.js'
import { Server } from '../../support/server-process.js'
import { ALL_RECIPES } from './recipes.js'

// A recipe in a service that has other routes too.

afterAll(removeProjects)

/** Adds another route, which accepts JSON, before or after the recipe's route. */
const OTHER_ROUTES: Record<string, (source: string) => string> = {
  'Express 5': (source) =>
    source.replace(
      'app.listen(',
      `app.use(express.json())
      app.post('/other', (request, response) => response.json(request.body))
      app.listen(`,
    ),
  Fastify: (source) =>
    source.replace('await app.listen', `app.post('/other', async (request) => request.body)\nawait app.listen`),
  Koa: (source) =>
    source.replace(
      'app.listen(',
      `app.use((await import('@koa/bodyparser')).bodyParser())
      app.use((ctx) => {
        ctx.body = (ctx.request as { body?: unknown }).body
      })
      app.listen(`,
    ),
  NestJS: (source) =>
    source
      .replace('controllers: [', 'controllers: [OtherController, ')
      .replace(
        '@Module(',
        `@Controller('other') class OtherController { @Post() @HttpCode(200) echo(@Body() body: unknown) { return body } }
        @Module(`,
      )
      .replace('{ Controller,', '{ Body, Controller, HttpCode,'),
  // Its app has this route already.
  AdonisJS: (source) => source,
  Feathers: (source) =>
    source.replace(
      'app.configure(rest())',
      `app.use((ctx) => {
        ctx.body = ctx.request.body
      })
      app.configure(rest())`,
    ),
  hapi: (source) =>
    source.replace(
      'await server.start()',
      `server.route({ method: 'POST', path: '/other', handler: ({ payload }) => payload })\nawait server.start()`,
    ),
}

it.each(Object.entries(OTHER_ROUTES))(
  'the recipe leaves other routes their body parser for %s',
  async (name, withOtherRoute) => {
    const recipe = ALL_RECIPES.find((known) => known.name === name)
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
  },
)
