import { describe } from 'vitest'
import { isInstalled } from '../../support/programs.js'
import { TcpProxy } from '../../support/servers.js'
import { configOf, DynaliteServer, dynaliteIsInstalled } from '../stores/dynalite-server.js'
import { type Closers, clockFaults, killedServer, proxyFaults, type Row, stoppedServer, testFaults } from './faults.js'

// The bounds are wider here, because dynalite is slower than a real server.
const CLIENTS = { store: 'DynamoDB', kinds: ['dynamodb.js', 'dynamodb-shared.js'], interval: 150 }

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

async function secondsOf({ port }: DynaliteServer): Promise<number> {
  const { headers } = await fetch(`http://127.0.0.1:${port}/`)
  return Date.parse(headers.get('date') ?? '') / 1000
}

const ROWS: Row[] = [
  killedServer(CLIENTS, start),
  stoppedServer(CLIENTS, start),
  ...proxyFaults(CLIENTS, startBehindProxy),
  // The store counts by the clock of its own process, so it loses nothing.
  ...clockFaults(CLIENTS, start, secondsOf)
    .slice(0, 1)
    .map((row): Row => ({ ...row, loses: 'nothing', proof: 'own' })),
]

const installed = isInstalled('dynalite and the AWS SDK', dynaliteIsInstalled())

describe.runIf(installed)('the faults of the guide', () => testFaults(ROWS))
