import { afterAll, beforeAll, describe, it } from 'vitest'
import { nonceStoreContract } from '../../tools/src/testing/index.js'
import { isInstalled } from '../support/programs.js'
import { LONG_TIMEOUT, RedisServer, startRedisCluster } from '../support/servers.js'
import { twoConnections } from '../support/stores/connections.js'
import { connect } from '../support/stores/source.js'

const CLIENTS = { redis: connect.redis, ioredis: connect.ioredis }
const CLUSTER_CLIENTS = { redis: connect['redis-cluster'], ioredis: connect['ioredis-cluster'] }

describe.runIf(isInstalled('redis-server'))('RedisNonceStore', () => {
  let server: RedisServer
  beforeAll(async () => {
    server = await RedisServer.start()
  })
  afterAll(() => server.stop())

  describe.each(Object.entries(CLIENTS))('with %s', (_, open) => {
    const store = twoConnections(() => open(server.url, { timeout: LONG_TIMEOUT }))
    it.concurrent.each(nonceStoreContract(() => store()))('$name', ({ run }) => run())
  })
})

describe.runIf(isInstalled('redis-server'))('RedisNonceStore in a cluster', () => {
  let nodes: RedisServer[]
  beforeAll(async () => {
    nodes = await startRedisCluster()
  })
  afterAll(() => Promise.all(nodes.map((node) => node.stop())))

  describe.each(Object.entries(CLUSTER_CLIENTS))('with %s', (_, open) => {
    const store = twoConnections(() =>
      open(
        nodes.map(({ url }) => url),
        { timeout: LONG_TIMEOUT },
      ),
    )
    it.concurrent.each(nonceStoreContract(() => store()))('$name', ({ run }) => run())
  })
})
