import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe } from 'vitest'
import { configOf, DynaliteServer } from '../../support/dynalite-server.js'
import { temporaryFolder } from '../../support/servers.js'
import { raceThrough } from '../../support/stores/race.js'

describe('DynamoDB', () => {
  let server: DynaliteServer
  beforeAll(async () => {
    server = await DynaliteServer.start()
  })
  afterAll(() => server.stop())
  raceThrough('dynamodb.js', () => configOf(server.port))
})

describe('SQLite', () => {
  const folder = temporaryFolder()
  afterAll(() => rmSync(folder, { recursive: true }))
  raceThrough('sqlite', () => join(folder, 'nonces.db'))
})
