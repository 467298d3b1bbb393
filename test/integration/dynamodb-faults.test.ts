import { describe } from 'vitest'
import { configOf, DynaliteServer, dynaliteIsInstalled } from '../support/dynalite-server.js'
import { isInstalled } from '../support/programs.js'
import { TcpProxy } from '../support/servers.js'
import {
  type Closers,
  clockFaults,
  killedServer,
  proxyFaults,
  stoppedServer,
  testFaults,
} from '../support/stores/faults.js'

// dynalite is slower than a real server.
const CLIENTS = { store: 'DynamoDB', kinds: ['dynamodb'], interval: 150 }

async function start(closers: Closers) {
  const server = await DynaliteServer.start()
  closers.push(() => server.stop())
  return { server, address: configOf(server.port) }
}

async function startBehindProxy(closers: Closers) {
  const { server } = await start(closers)
  const proxy = await TcpProxy.start(server.port)
  closers.push(() => proxy.stop())
  return { proxy, address: configOf(proxy.port) }
}

const ROWS = [
  killedServer(CLIENTS, start),
  stoppedServer(CLIENTS, start),
  ...proxyFaults(CLIENTS, startBehindProxy),
  ...clockFaults(CLIENTS, start),
]

const installed = isInstalled('dynalite and the AWS SDK', dynaliteIsInstalled())

describe.runIf(installed)('the faults of the guide', () => testFaults(ROWS))
