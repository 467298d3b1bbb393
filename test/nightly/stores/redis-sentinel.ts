import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually, freePort, inStep, RedisServer, TcpProxy } from '../../support/servers.js'

/**
 * Starts a master, its replicas, and three sentinels that replace the master `downAfter` milliseconds after it is lost. The default is so
 * long that a machine that stalls causes no failover.
 *
 * @param isBehindProxy - whether sentinels and clients reach the master through a proxy.
 */
export async function startRedisSentinel({
  downAfter = 60_000,
  replicas: replicaCount = 1,
  isBehindProxy = false,
} = {}) {
  const master = await RedisServer.start()
  const proxy = await TcpProxy.start(master.port)
  const replicas = await startReplicas(master, replicaCount)
  const name = 'nonces'
  const sentinels = await Promise.all(
    Array.from({ length: 3 }, async () => {
      const sentinel = RedisServer.sentinel(await freePort())
      writeFileSync(
        join(sentinel.folder, 'sentinel.conf'),
        `port ${sentinel.port}
bind 127.0.0.1
sentinel monitor ${name} 127.0.0.1 ${isBehindProxy ? proxy.port : master.port} 2
sentinel down-after-milliseconds ${name} ${downAfter}
sentinel failover-timeout ${name} 2000
`,
      )
      await sentinel.restart()
      return sentinel
    }),
  )
  await eventually(() => {
    for (const sentinel of sentinels) {
      const info = sentinel.cli('SENTINEL', 'MASTER', name).split('\n')
      const count = (field: string) => Number(info[info.indexOf(field) + 1])
      if (count('num-slaves') < replicas.length || count('num-other-sentinels') < 2)
        throw new Error('sentinels do not know each other')
    }
  })
  const stop = async () => {
    proxy.stop()
    await Promise.all([...sentinels, master, ...replicas].map((server) => server.stop()))
  }
  const [replica] = replicas as [RedisServer, ...RedisServer[]]
  const address = { name, sentinels: sentinels.map(({ port }) => ({ host: '127.0.0.1', port })) }
  return { master, proxy, replica, replicas, sentinels, address, stop }
}

/**
 * Starts replicas of a Redis server, and waits until they are in step with it.
 *
 * @param port - where they reach the server.
 */
async function startReplicas(master: RedisServer, count: number, port = master.port): Promise<RedisServer[]> {
  // A replica synchronises without a delay.
  master.cli('CONFIG', 'SET', 'repl-diskless-sync-delay', '0')
  const options = ['--replicaof', '127.0.0.1', String(port), '--repl-diskless-sync-delay', '0']
  const replicas = await Promise.all(Array.from({ length: count }, () => RedisServer.start(...options)))
  await inStep(master, count)
  return replicas
}
