import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { createCluster } from 'redis'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { RedisNonceStore } from '../../src/stores/redis/index.js'
import { createCertificate } from '../support/certificate.js'
import { codeBlocks } from '../support/code-blocks.js'
import { ROOT } from '../support/packed.js'
import { isInstalled } from '../support/programs.js'
import { eventually, freePort, LONG_TIMEOUT, RedisServer, startRedisCluster, UNKNOWN_HOST } from '../support/servers.js'
import { REDIS_CLIENTS } from '../support/stores/clients.js'

/** The time-out of a client and a store that get no response. A machine that stalls for less changes no outcome. */
const TIMEOUT = 3000
const NO_CONNECTION = "The client is not connected and does not say why. To see the reason, log the client's"

describe.runIf(isInstalled('redis-server') && isInstalled('openssl'))('check() of a store in Redis', () => {
  const certificate = createCertificate('root')
  const closers: (() => unknown)[] = []
  let server: RedisServer
  let tlsUrl: string
  beforeAll(async () => {
    const tlsPort = await freePort()
    tlsUrl = `rediss://localhost:${tlsPort}`
    const tls = ['--tls-port', String(tlsPort), '--tls-cert-file', certificate.cert, '--tls-key-file', certificate.key]
    server = await RedisServer.start(...tls, '--tls-auth-clients', 'no')
  })
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close()
  })
  afterAll(async () => {
    await server.stop()
    rmSync(certificate.folder, { recursive: true })
  })

  describe.each(['redis', 'ioredis'] as const)('with %s', (kind) => {
    function open(url: string, timeout = LONG_TIMEOUT, tls?: { ca?: string }) {
      const opened = REDIS_CLIENTS[kind](url, { timeout }, tls)
      closers.push(opened.close)
      return opened
    }
    async function openConnected(url = server.url) {
      const { nonceStore, connected } = open(url)
      await connected
      return nonceStore
    }
    const urlOf = (user: string) => `redis://${user}@127.0.0.1:${server.port}`

    it('works, and leaves no key', async () => {
      server.cli('FLUSHALL')
      const nonceStore = await openConnected()
      await nonceStore.check()
      await nonceStore.check()
      expect(server.cli('DBSIZE')).toBe('0')
      const tls = open(tlsUrl, undefined, { ca: certificate.ca })
      await tls.connected
      await tls.nonceStore.check()
    })

    it.each<[string, () => Promise<string> | string, RegExp]>([
      ['no server', async () => `redis://127.0.0.1:${await freePort()}`, /ECONNREFUSED/],
      ['an unknown host', () => `redis://${UNKNOWN_HOST}`, /ENOTFOUND|EAI_AGAIN/],
      ['an untrusted certificate', () => tlsUrl, /certificate/],
    ])('says that the client has no connection, and that its events say why: %s', async (_, address, reason) => {
      const { nonceStore, errors } = open(await address(), TIMEOUT)
      await expect(nonceStore.check()).rejects.toThrow(NO_CONNECTION)
      await eventually(() => expect(String(errors[0])).toMatch(reason))
    })

    it('says that the password is wrong, or that an event of the client says so', async () => {
      server.cli('ACL', 'SETUSER', 'webhooks', 'on', '>right', '+@all', '~*')
      const { nonceStore, errors } = open(urlOf('webhooks:wrong'), TIMEOUT)
      await eventually(() => expect(String(errors[0])).toMatch(/WRONGPASS/))
      const message = { redis: NO_CONNECTION, ioredis: 'The server refused the user name or the password.' }[kind]
      await expect(nonceStore.check()).rejects.toThrow(message)
    })

    it('needs exactly the permissions of the guide, of which INFO is optional', async () => {
      const guide = readFileSync(join(ROOT, 'docs/operate/redis.md'), 'utf8')
      const [rule = ''] = codeBlocks(guide, 'text').filter((block) => block.startsWith('ACL SETUSER'))
      const [, , user = '', ...rights] = rule.split(' ')
      const setUser = (granted: string[]) => server.cli('ACL', 'SETUSER', user, 'reset', ...granted)
      setUser(rights)
      const nonceStore = await openConnected(urlOf('webhooks:password'))
      await nonceStore.check()
      const granted = rights.filter((right) => right.startsWith('+') || right.startsWith('~'))
      expect(granted).toContain('+info')
      expect(granted.length).toBeGreaterThan(4)
      // The commands of a new connection need other permissions.
      for (const right of granted) {
        server.cli('ACL', 'SETUSER', user, right.startsWith('~') ? 'resetkeys' : right.replace('+', '-'))
        const rejected: unknown = await nonceStore.check().catch((error: unknown) => error)
        if (right === '+info') expect(rejected).toBeUndefined()
        else {
          expect(rejected, right).toMatchObject({ message: expect.stringContaining('lacks a permission') })
          // Redis 7 does not name a command that a script may not run.
          const named = right.startsWith('~') ? /keys?\b/ : new RegExp(`${right.slice(1)}|user executing the script`)
          expect(String(Object(rejected).cause), right).toMatch(named)
        }
        server.cli('ACL', 'SETUSER', user, right)
      }
      await nonceStore.check()
    })

    it('refuses a replica', async () => {
      const replica = await RedisServer.start('--replicaof', '127.0.0.1', String(server.port))
      closers.push(() => replica.stop())
      const nonceStore = await openConnected(replica.url)
      await expect(nonceStore.check()).rejects.toThrow('The server is read-only or a replica. Connect to the primary.')
    })

    it('refuses a server that evicts keys, as soon as it does', async () => {
      const nonceStore = await openConnected()
      closers.push(() => server.cli('CONFIG', 'SET', 'maxmemory-policy', 'noeviction'))
      server.cli('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru')
      await expect(nonceStore.check()).rejects.toThrow('Set maxmemory-policy to noeviction.')
    })

    it('accepts a request again if Redis evicts its nonce after the check', async () => {
      const nonceStore = await openConnected()
      await nonceStore.check()
      expect(await nonceStore.reserve('42', `evicted from ${kind}`, 600)).toBe(true)
      closers.push(() => server.cli('CONFIG', 'SET', 'maxmemory-policy', 'noeviction', 'maxmemory', '0'))
      server.cli('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru', 'maxmemory', '1')
      await expect(nonceStore.reserve('42', 'another', 600)).rejects.toThrow('OOM')
      server.cli('CONFIG', 'SET', 'maxmemory', '0')
      expect(await (await openConnected()).reserve('42', `evicted from ${kind}`, 600)).toBe(true)
    })

    it('says that the server has too few replicas', async () => {
      const nonceStore = await openConnected()
      closers.push(() => server.cli('CONFIG', 'SET', 'min-replicas-to-write', '0'))
      server.cli('CONFIG', 'SET', 'min-replicas-to-write', '1')
      await expect(nonceStore.check()).rejects.toThrow('Too few replicas of Redis respond.')
    })
  })

  it.each(['redis', 'ioredis'])('with a cluster of %s, needs exactly the permissions of the guide', async (kind) => {
    const nodes = await startRedisCluster()
    closers.push(() => Promise.all(nodes.map((node) => node.stop())))
    const rights = 'on >password resetkeys ~webhook-nonce:* resetchannels -@all +eval +get +set +del +info'.split(' ')
    const more = ['+cluster|slots', '+cluster|info', '+asking']
    for (const node of nodes) node.cli('ACL', 'SETUSER', 'webhooks', 'reset', ...rights, ...more)
    const urls = nodes.map(({ port }) => `redis://127.0.0.1:${port}`)
    const withPassword = { username: 'webhooks', password: 'password' }
    const timeout = LONG_TIMEOUT
    const stores = {
      async redis() {
        const client = createCluster({ rootNodes: urls.map((url) => ({ url })), defaults: withPassword })
        await client.on('error', () => {}).connect()
        closers.push(() => client.destroy())
        return new RedisNonceStore({ sendCommand: (args) => client.sendCommand(args[3], false, args), timeout })
      },
      async ioredis() {
        const client = new Redis.Cluster(urls, { redisOptions: withPassword })
        closers.push(() => client.disconnect())
        return new RedisNonceStore({ sendCommand: ([name = '', ...args]) => client.call(name, ...args), timeout })
      },
    }
    const nonceStore = await stores[kind as keyof typeof stores]()
    // Each check asks the node of its key.
    for (let round = 0; round < 10; round++) await nonceStore.check()
    for (const node of nodes) node.cli('ACL', 'SETUSER', 'webhooks', '-set')
    await expect(nonceStore.check()).rejects.toThrow('The user lacks a permission.')
  })
})
