import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { createClient, createCluster } from 'redis'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { connectIoredis, connectNodeRedis } from '../../src/stores/redis/index.js'
import { createCertificate } from '../support/certificate.js'
import { codeBlocks } from '../support/code-blocks.js'
import { ROOT } from '../support/packed.js'
import { isInstalled } from '../support/programs.js'
import {
  eventually,
  freePort,
  LONG_TIMEOUT,
  RedisServer,
  startRedisCluster,
  startRedisSentinel,
  TcpProxy,
  UNKNOWN_HOST,
} from '../support/servers.js'
import { newRequest, send } from '../support/stores/load.js'
import { connect } from '../support/stores/source.js'

const KINDS = ['redis', 'ioredis'] as const
const PATIENT = { timeout: LONG_TIMEOUT }

describe.runIf(isInstalled('redis-server') && isInstalled('openssl'))('connecting to Redis', () => {
  const certificate = createCertificate('root')
  const closers: (() => unknown)[] = []
  let server: RedisServer
  let tlsPort: number
  beforeAll(async () => {
    tlsPort = await freePort()
    const tls = ['--tls-port', String(tlsPort), '--tls-cert-file', certificate.cert, '--tls-key-file', certificate.key]
    server = await RedisServer.start(...tls, '--tls-auth-clients', 'no', '--unixsocket', path)
  })
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close()
  })
  afterAll(async () => {
    await server.stop()
    rmSync(certificate.folder, { recursive: true })
  })

  /** Checks that a store accepts a request once, and closes it at the end of the test. */
  async function expectUsable(nonceStore: Awaited<ReturnType<typeof connectNodeRedis>>): Promise<void> {
    closers.push(() => nonceStore.close())
    const request = newRequest()
    expect(await send(request, nonceStore)).toBe('accepted')
    expect(await send(request, nonceStore)).toBe('replayed_nonce')
  }

  const { ca } = certificate
  const path = join(certificate.folder, 'redis.sock')
  const tls = () => ({ host: 'localhost', port: tlsPort })
  it.each<[string, () => ReturnType<typeof connectNodeRedis>]>([
    [
      'redis, TLS',
      () =>
        connectNodeRedis((options) => {
          const socket = { ...options.socket, ...tls(), tls: true as const, ca }
          return createClient({ ...options, socket })
        }, PATIENT),
    ],
    ['ioredis, TLS', () => connectIoredis((options) => new Redis({ ...tls(), tls: { ca }, ...options }), PATIENT)],
    [
      'redis, Unix socket',
      () =>
        connectNodeRedis(
          (options) => createClient({ ...options, socket: { ...options.socket, path, tls: false } }),
          PATIENT,
        ),
    ],
    ['ioredis, Unix socket', () => connectIoredis((options) => new Redis({ path, ...options }), PATIENT)],
  ])('works: %s', async (_, open) => expectUsable(await open()))

  describe.each(KINDS)('%s', (kind) => {
    const open = (url: string) => connect[kind](url, PATIENT)
    const url = (user: string) => `redis://${user}@127.0.0.1:${server.port}`

    it('says that the server is down', async () => {
      await expect(open(`redis://127.0.0.1:${await freePort()}`)).rejects.toThrow('No server listens at the address')
    })

    it('says that the host name is unknown', async () => {
      await expect(open(`redis://${UNKNOWN_HOST}`)).rejects.toThrow('The host name of the server is unknown')
    })

    it('bridges a short outage, refuses during a longer one, and then works again', async () => {
      const proxy = await TcpProxy.start(server.port)
      closers.push(() => proxy.stop())
      const nonceStore = await open(`redis://127.0.0.1:${proxy.port}`)
      closers.push(() => nonceStore.close())
      proxy.refuseConnections()
      await sleep(100)
      const bridged = Array.from({ length: 10 }, () => send(newRequest(), nonceStore))
      await sleep(100)
      await proxy.takeConnections()
      expect(new Set(await Promise.all(bridged))).toEqual(new Set(['accepted']))

      const impatient = await connect[kind](`redis://127.0.0.1:${proxy.port}`, { timeout: 500 })
      closers.push(() => impatient.close())
      proxy.refuseConnections()
      const refused = async () => impatient.reserve('42', 'nonce', 600).catch((error: unknown) => error)
      await eventually(async () => expect(await refused()).toHaveProperty('cause.code', 'ECONNREFUSED'))
      await proxy.takeConnections()
      await eventually(async () => expect(await send(newRequest(), impatient)).toBe('accepted'))
    })

    it('says that the password is wrong', async () => {
      server.cli('ACL', 'SETUSER', 'webhooks', 'on', '>right', '+@all', '~*')
      await expect(open(url('webhooks:wrong'))).rejects.toThrow('The server refused the user name or the password.')
    })

    it('says that the certificate is not trusted', async () => {
      await expect(open(`rediss://127.0.0.1:${tlsPort}`)).rejects.toThrow(
        "The server's TLS certificate is not trusted.",
      )
    })

    it('needs exactly the permissions of the guide', async () => {
      const guide = readFileSync(join(ROOT, 'docs/operate/redis.md'), 'utf8')
      const [rule = ''] = codeBlocks(guide, 'text').filter((block) => block.startsWith('ACL SETUSER'))
      const [, , user = '', ...rights] = rule.split(' ')
      server.cli('ACL', 'SETUSER', user, 'reset', ...rights)
      await expectUsable(await open(url('webhooks:password')))
      const granted = rights.filter((right) => right.startsWith('+') || right.startsWith('~'))
      expect(granted.length).toBeGreaterThan(4)
      for (const right of granted) {
        server.cli('ACL', 'SETUSER', user, 'reset', ...rights.filter((other) => other !== right))
        const rejected = await open(url('webhooks:password')).catch((error: unknown) => error)
        expect(rejected, right).toMatchObject({ message: expect.stringContaining('lacks a permission') })
        // Redis 7 does not name a command that a script may not run.
        const named = right.startsWith('~') ? /keys?\b/ : new RegExp(`${right.slice(1)}|user executing the script`)
        expect(String(Object(rejected).cause), right).toMatch(named)
      }
    })

    it('refuses a replica', async () => {
      const replica = await RedisServer.start('--replicaof', '127.0.0.1', String(server.port))
      closers.push(() => replica.stop())
      await expect(open(replica.url)).rejects.toThrow('The server is read-only or a replica. Connect to the primary.')
    })

    it('refuses a server that evicts keys, and one that begins to evict keys', async () => {
      const nonceStore = await open(server.url)
      closers.push(() => nonceStore.close())
      closers.push(() => server.cli('CONFIG', 'SET', 'maxmemory-policy', 'noeviction'))
      server.cli('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru')
      await expect(open(server.url)).rejects.toThrow('Set maxmemory-policy to noeviction.')
      await eventually(() => expect(nonceStore.reserve('42', 'nonce', 600)).rejects.toThrow('Redis evicts keys'))
    })

    it('sends a command again if its connection was lost', async () => {
      const nonceStore = await open(server.url)
      closers.push(() => nonceStore.close())
      for (let round = 0; round < 5; round++) {
        const before = newRequest()
        expect(await send(before, nonceStore)).toBe('accepted')
        server.cli('CLIENT', 'KILL', 'TYPE', 'normal')
        expect(await send(newRequest(), nonceStore)).toBe('accepted')
        expect(await send(before, nonceStore)).toBe('replayed_nonce')
      }
    })

    it('passes the errors in the background to onError', async () => {
      const errors: unknown[] = []
      const onError = (error: unknown) => errors.push(error)
      const nonceStore = await connect[kind](server.url, { ...PATIENT, onError })
      closers.push(() => nonceStore.close())
      expect(errors).toEqual([])
      server.cli('CLIENT', 'KILL', 'TYPE', 'normal')
      await eventually(() => expect(errors.length).toBeGreaterThan(0))
    })

    it('sends the keys with their prefix', async () => {
      const nonceStore = await connect[kind](server.url, { ...PATIENT, keyPrefix: `${kind}-prefix:` })
      closers.push(() => nonceStore.close())
      await nonceStore.reserve('42', 'nonce', 600)
      expect(server.cli('KEYS', `${kind}-prefix:*`)).toMatch(/42nonce$/)
    })

    it('is refused after close()', async () => {
      const nonceStore = await open(server.url)
      await nonceStore.close()
      await nonceStore.close()
      await expect(nonceStore.reserve('42', 'nonce', 600)).rejects.toThrow('The nonce store is closed.')
    })

    it('is closed by `await using`', async () => {
      const nonceStore = await open(server.url)
      await nonceStore[Symbol.asyncDispose]()
      await expect(nonceStore.reserve('42', 'nonce', 600)).rejects.toThrow('The nonce store is closed.')
    })
  })

  it.each(['redis-cluster', 'ioredis-cluster'] as const)(
    '%s needs exactly the permissions of the guide',
    async (kind) => {
      const nodes = await startRedisCluster()
      closers.push(() => Promise.all(nodes.map((node) => node.stop())))
      const rights = 'on >password resetkeys ~webhook-nonce:* resetchannels -@all +eval +get +set +del +info'.split(' ')
      const more = ['+cluster|slots', '+cluster|info', '+asking']
      for (const node of nodes) node.cli('ACL', 'SETUSER', 'default', 'reset', ...rights, ...more)
      const urls = nodes.map(({ port }) => `redis://127.0.0.1:${port}`)
      const withPassword = { username: 'default', password: 'password' }
      await expectUsable(
        kind === 'redis-cluster'
          ? await connectNodeRedis(
              (options) =>
                createCluster({
                  rootNodes: urls.map((url) => ({ url })),
                  ...options,
                  defaults: { ...options.defaults, ...withPassword },
                }),
              PATIENT,
            )
          : await connectIoredis(
              (options) =>
                new Redis.Cluster(urls, { ...options, redisOptions: { ...options.redisOptions, ...withPassword } }),
              PATIENT,
            ),
      )
    },
  )

  it.each([
    ['redis', 'port', '127.0.0.1', 'No server listens at the address'],
    ['redis', 'host', UNKNOWN_HOST, 'The host name of the server is unknown'],
    // ioredis does not say why it reaches no node.
    ['ioredis', 'port', '127.0.0.1', 'The server cannot be reached'],
  ] as const)('with %s, says that the %s of each node and sentinel is wrong', async (kind, _, host, message) => {
    const addresses = [
      { host, port: await freePort() },
      { host, port: await freePort() },
    ]
    const urls = addresses.map(({ port }) => `redis://${host}:${port}`)
    const options = { timeout: 3000 }
    await expect(connect[`${kind}-cluster`](urls, options)).rejects.toThrow(message)
    const sentinels = { name: 'nonces', sentinels: addresses }
    await expect(connect[`${kind}-sentinel`](sentinels, options)).rejects.toThrow(message)
  })

  it.each(['redis-sentinel', 'ioredis-sentinel'] as const)('%s skips a sentinel that hangs', async (kind) => {
    const { sentinels, address, stop } = await startRedisSentinel()
    closers.push(stop)
    closers.push(() => sentinels[0]?.signal('SIGCONT'))
    sentinels[0]?.signal('SIGSTOP')
    // A quarter of the time-out is for a sentinel.
    await expectUsable(await connect[kind](address, { timeout: 12_000 }))
  })
})
