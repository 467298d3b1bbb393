import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { splitAnnotated } from '../../../docs/generate/annotated.js'
import { createProject, removeProjects, sourceOf } from '../../docs/recipes/recipes.js'
import { codeBlocks } from '../../support/code-blocks.js'
import { ROOT } from '../../support/packed.js'
import { isInstalled } from '../../support/programs.js'
import { signedHeaders } from '../../support/raw-client.js'
import { SECRET } from '../../support/request.js'
import { configOf, DynaliteServer, dynaliteIsInstalled } from '../stores/dynalite-server.js'

// The recipe with Redis is tested behind a gateway: see test/docs/recipes.

const BODY = '{"event":"invoice.paid","name":"Zoë"}'

/** An event of a function URL, or of an HTTP API with payload format 2.0. */
const eventOf = (body: string) => ({
  version: '2.0',
  rawPath: '/hooks/billing',
  headers: Object.fromEntries(signedHeaders({ body }).map(([name, value]) => [name.toLowerCase(), value])),
  requestContext: { http: { method: 'POST', path: '/hooks/billing' } },
  body,
  isBase64Encoded: false,
})

it.runIf(isInstalled('dynalite and the AWS SDK', dynaliteIsInstalled()))(
  'the Lambda function with DynamoDB accepts a valid event once',
  async () => {
    const server = await DynaliteServer.start()
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    vi.spyOn(console, 'log').mockImplementation(() => {})
    try {
      vi.stubEnv('WEBHOOK_SECRET', SECRET)
      vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', configOf(server.port).endpoint)
      vi.stubEnv('AWS_REGION', 'eu-central-1')
      vi.stubEnv('AWS_ACCESS_KEY_ID', 'an id')
      vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'a key')
      const project = createProject()
      writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }')
      // As the guide says for dynalite.
      const store = readFileSync(join(ROOT, 'docs/stores/dynamodb.js'), 'utf8').replace(
        'await nonceStore.check()\n',
        '',
      )
      writeFileSync(join(project, 'dynamodb.js'), store)
      writeFileSync(join(project, 'lambda.mts'), lambdaWithDynamoDB())
      const { handler } = await import(join(project, 'lambda.mts'))

      const event = eventOf(BODY)
      expect(await handler(event)).toMatchObject({ statusCode: 204, body: '' })
      expect(await handler(event)).toMatchObject({ statusCode: 401, body: '' })
      expect(warn.mock.lastCall?.[0]).toContain('replayed_nonce')
      server.signal('SIGSTOP')
      vi.spyOn(console, 'error').mockImplementation(() => {})
      expect(await handler(eventOf(BODY))).toMatchObject({ statusCode: 503, body: '' })
    } finally {
      vi.unstubAllEnvs()
      vi.restoreAllMocks()
      removeProjects()
      await server.stop()
    }
  },
)

/** The recipe with the lines of the guide instead of the lines for Redis. */
function lambdaWithDynamoDB(): string {
  const { code: recipe } = splitAnnotated(sourceOf({ file: 'lambda.ts' }))
  const guide = readFileSync(join(ROOT, 'docs/receive/serverless.md'), 'utf8')
  const [lines = ''] = codeBlocks(guide, 'js')
  const withoutRedis = recipe.replace(/^import .*redis'\n/gm, '').replace(/, REDIS_URL: [^}]*/, ' ')
  const replaced = withoutRedis.replace(/\/\/ Each instance[\s\S]*?(?=\n\nexport )/, () => lines)
  expect(replaced).toContain("from './dynamodb.js'")
  expect(replaced).not.toMatch(/redis/i)
  return replaced
}
