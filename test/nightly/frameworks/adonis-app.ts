// The files of an app of AdonisJS by path, as `npm init adonisjs` creates them, without what only a database or a page needs.

const defaultOf = (module: string, code: string) => `import { defineConfig } from '${module}'\nexport default ${code}`

/** The line of `start/env.ts` that a guide replaces by its own. */
export const MORE_VARIABLES = '// more variables'

export const ADONIS_APP: { readonly [path: string]: string } = {
  'package.json': JSON.stringify({
    private: true,
    type: 'module',
    imports: { '#config/*': './config/*.js', '#middleware/*': './app/middleware/*.js', '#start/*': './start/*.js' },
  }),
  'tsconfig.json': JSON.stringify({ compilerOptions: { module: 'nodenext' } }),
  'adonisrc.ts': defaultOf(
    '@adonisjs/core/app',
    `defineConfig({
      providers: [() => import('@adonisjs/core/providers/app_provider'), () => import('@adonisjs/core/providers/hash_provider')],
      preloads: [() => import('#start/routes'), () => import('#start/kernel')],
    })`,
  ),
  'bin/server.ts': `
    import 'reflect-metadata'
    import { Ignitor, prettyPrintError } from '@adonisjs/core'
    const root = new URL('../', import.meta.url)
    const importer = (path: string) => import(path.startsWith('.') ? new URL(path, root).href : path)
    new Ignitor(root, { importer })
      .tap((app) => app.booting(async () => void (await import('#start/env'))))
      .httpServer()
      .start()
      .catch((error) => {
        process.exitCode = 1
        prettyPrintError(error)
      })`,
  'start/env.ts': `
    import { Env } from '@adonisjs/core/env'
    export default await Env.create(new URL('../', import.meta.url), {
      PORT: Env.schema.number(),
      ${MORE_VARIABLES}
    })`,
  'start/routes.ts': `
    import router from '@adonisjs/core/services/router'
    router.post('/other', ({ request }) => request.body())`,
  'start/kernel.ts': `
    import router from '@adonisjs/core/services/router'
    import server from '@adonisjs/core/services/server'
    server.errorHandler(() => import('../app/handler.js'))
    router.use([() => import('@adonisjs/core/bodyparser_middleware')])\n`,
  'app/handler.ts': `
    import { ExceptionHandler } from '@adonisjs/core/http'
    export default class HttpExceptionHandler extends ExceptionHandler {}`,
  'config/app.ts': `
    import { defineConfig } from '@adonisjs/core/http'
    export const http = defineConfig({})`,
  'config/bodyparser.ts': defaultOf('@adonisjs/core/bodyparser', 'defineConfig({})'),
  'config/encryption.ts': `
    import { defineConfig, drivers } from '@adonisjs/core/encryption'
    const gcm = drivers.aes256gcm({ id: 'gcm', keys: ['a key with at least 32 characters'] })
    export default defineConfig({ default: 'gcm', list: { gcm } })`,
  'config/hash.ts': `
    import { defineConfig, drivers } from '@adonisjs/core/hash'
    export default defineConfig({ default: 'scrypt', list: { scrypt: drivers.scrypt({}) } })`,
  'config/logger.ts': defaultOf(
    '@adonisjs/core/logger',
    "defineConfig({ default: 'app', loggers: { app: { enabled: true, name: 'app' } } })",
  ),
}
