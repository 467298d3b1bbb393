import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { type NonceStore, sign, verify } from '../../../src/index.js'
import { DynamoDBNonceStore } from '../../../src/stores/dynamodb.js'
import { nonceStoreContract } from '../../../tools/src/testing/index.js'
import { ROOT } from '../../support/packed.js'
import { isInstalled } from '../../support/programs.js'
import { eventually, freePort, LONG_TIMEOUT, TcpProxy } from '../../support/servers.js'
import { twoConnections } from '../../support/stores/connections.js'
import { newRequest, SECRET, send, sendAll } from '../../support/stores/load.js'
import { requirePackage } from '../packages/packages.js'
import { configOf, DynaliteServer, dynaliteIsInstalled } from './dynalite-server.js'
import { importGuideCode } from './guide-code.js'
import { returningItems } from './returning-items.js'

/** The input of a PutItem. */
type PutItemInput = Parameters<ConstructorParameters<typeof DynamoDBNonceStore>[0]['putItem']>[0]

interface Connected {
  client: { send(command: object): Promise<Record<string, unknown>>; destroy(): void }
  nonceStore: NonceStore
  close(): void
}

const installed = isInstalled('dynalite and the AWS SDK', dynaliteIsInstalled())

describe.runIf(installed)('DynamoDBNonceStore with dynalite', () => {
  let server: DynaliteServer
  let sdk: Record<string, new (input: object) => object>
  let connect: (config: object, timeout?: number) => Connected
  const closers: (() => unknown)[] = []
  beforeAll(async () => {
    server = await DynaliteServer.start()
    sdk = requirePackage('@aws-sdk/client-dynamodb')
    connect = (config, timeout = 1000) => {
      const { DynamoDBClient } = requirePackage('@aws-sdk/client-dynamodb')
      const client = returningItems(new DynamoDBClient({ maxAttempts: 2, ...config }))
      const putItem = (input: PutItemInput) =>
        client.send(command('PutItemCommand', input), { abortSignal: AbortSignal.timeout(timeout) })
      return { client, nonceStore: new DynamoDBNonceStore({ timeout, putItem }), close: () => client.destroy() }
    }
  })
  beforeEach(() => {
    vi.spyOn(console, 'warn').mockImplementation(() => {})
  })
  afterEach(async () => {
    vi.restoreAllMocks()
    for (const close of closers.splice(0).reverse()) await close()
  })
  afterAll(() => server?.stop())

  function connected(port = server.port, timeout?: number): Connected {
    const connection = connect(configOf(port), timeout)
    closers.push(() => connection.close())
    return connection
  }

  function command(name: string, input: object): object {
    const Command = sdk[name]
    if (Command === undefined) throw new Error(`no ${name}`)
    return new Command(input)
  }

  /** A store of src/ with its own clock. */
  function storeWith(clock: { now(): number }): NonceStore {
    const { client } = connected(server.port, LONG_TIMEOUT)
    const putItem = (input: PutItemInput) => client.send(command('PutItemCommand', input))
    return new DynamoDBNonceStore({ putItem, clock, timeout: LONG_TIMEOUT })
  }

  const store = twoConnections(async () => {
    const { nonceStore, close } = connect(configOf(server.port), LONG_TIMEOUT)
    return Object.assign(nonceStore, { close })
  })
  const unreachable = { createUnreachableStore: async () => connected(await freePort()).nonceStore }
  it.concurrent.each(nonceStoreContract(() => store(), unreachable))('$name', ({ run }) => run())

  describe('with a clock that the test moves', () => {
    let now = 1_700_000_000_000.5
    let moved: NonceStore
    beforeAll(() => {
      moved = storeWith({ now: () => now })
    })
    const wait = (milliseconds: number) => {
      now += milliseconds
    }
    it.each(nonceStoreContract(() => moved, { wait }))('$name', ({ run }) => run())
  })

  describe('the table', () => {
    const text = (file: string) => readFileSync(join(ROOT, 'docs/stores', file), 'utf8')

    async function expectUsable(name: string) {
      const { client } = connected()
      const putItem = (input: PutItemInput) => client.send(command('PutItemCommand', input))
      const nonces = new DynamoDBNonceStore({ putItem, table: name, timeout: LONG_TIMEOUT })
      await eventually(async () => expect(await nonces.reserve('42', crypto.randomUUID(), 600)).toBe(true))
      expect(await nonces.reserve('42', 'nonce', 600)).toBe(true)
      expect(await nonces.reserve('42', 'nonce', 600)).toBe(false)
    }

    it('of CloudFormation has the key and the time to live of the store', async () => {
      const template = requirePackage('yaml').parse(text('dynamodb-table.yaml'))
      const { TimeToLiveSpecification, ...input } = template.Resources.WebhookNonces.Properties
      expect(TimeToLiveSpecification).toEqual({ AttributeName: 'expires_at', Enabled: true })
      await connected().client.send(command('CreateTableCommand', { ...input, TableName: 'of_cloudformation' }))
      await expectUsable('of_cloudformation')
    })

    it('of Terraform has the key and the time to live of the store', async () => {
      const definition = text('dynamodb-table.tf')
      const settingOf = (name: string) => new RegExp(`^ *${name} *= "?([^"\\n]*)"?$`, 'm').exec(definition)?.[1]
      expect(settingOf('attribute_name')).toBe('expires_at')
      expect(settingOf('enabled')).toBe('true')
      const [, AttributeName] = /attribute \{\s*name = "(\w+)"/.exec(definition) ?? []
      const input = {
        TableName: 'of_terraform',
        BillingMode: settingOf('billing_mode'),
        AttributeDefinitions: [{ AttributeName, AttributeType: settingOf('type') }],
        KeySchema: [{ AttributeName: settingOf('hash_key'), KeyType: 'HASH' }],
      }
      await connected().client.send(command('CreateTableCommand', input))
      await expectUsable('of_terraform')
    })

    it('of the SDK has the key and the time to live of the store', async () => {
      const { createTable } = await importGuideCode('docs/stores/dynamodb-table.js')
      const { client } = connected(server.port, LONG_TIMEOUT)
      const requests: object[] = []
      // dynalite does not know time to live.
      const recording = {
        ...client,
        config: Object(client).config,
        send(sent: { input: object; constructor: { name: string } }) {
          if (!sent.constructor.name.startsWith('UpdateTimeToLive')) return client.send(sent)
          requests.push(sent.input)
          return {}
        },
      }
      await createTable(recording, 'of_the_sdk')
      expect(requests).toEqual([
        { TableName: 'of_the_sdk', TimeToLiveSpecification: { AttributeName: 'expires_at', Enabled: true } },
      ])
      await expectUsable('of_the_sdk')
    })
  })

  it('accepts a request whose first answer was lost, once: the SDK sends it again', async () => {
    const proxy = await TcpProxy.start(server.port)
    closers.push(() => proxy.stop())
    const { nonceStore } = connected(proxy.port, LONG_TIMEOUT)
    let replies = 0
    // The proxy drops every second answer.
    proxy.onReply = () => (++replies % 2 === 1 ? 'cut' : 'pass')
    for (let round = 0; round < 20; round++) {
      const request = newRequest()
      expect(await send(request, nonceStore)).toBe('accepted')
      proxy.onReply = () => 'pass'
      expect(await send(request, nonceStore)).toBe('replayed_nonce')
      proxy.onReply = () => (++replies % 2 === 1 ? 'cut' : 'pass')
    }
    expect(replies).toBeGreaterThanOrEqual(40)
  })

  it('throws if all answers are lost, and then accepts no request twice', async () => {
    const proxy = await TcpProxy.start(server.port)
    closers.push(() => proxy.stop())
    const { nonceStore } = connected(proxy.port)
    proxy.onReply = () => 'cut'
    const requests = Array.from({ length: 10 }, newRequest)
    expect(await sendAll(requests, nonceStore)).toEqual({ ERR_NONCE_STORE: 10 })
    proxy.onReply = () => 'pass'
    expect(await sendAll(requests, nonceStore)).toEqual({ replayed_nonce: 10 })
  })

  describe('two callers whose clocks differ', () => {
    const START = 1_700_000_000_000

    // Each caller uses one clock for the window and for the expiry. A reservation ends only when the window has closed there.
    it.each([-10_000, -600, -301, -300, -1, -0.001, 0, 0.001, 1, 300, 301, 600, 10_000])(
      'by %d s never accept a request twice',
      async (seconds) => {
        let time = START
        const [one, two] = [{ now: () => time }, { now: () => time + seconds * 1000 }]
        const [first, second] = [storeWith(one), storeWith(two)]
        for (const timestamp of [START / 1000 - 300, START / 1000, START / 1000 + 300]) {
          const request = { webhookId: '42', headers: sign('', SECRET, { timestamp }), body: '' }
          time = START
          expect((await verify(request, SECRET, first, one)).ok).toBe(true)
          // The second caller's clock is at every edge of the window and of the reservation.
          for (const at of [
            -300_000, -1, 0, 1, 299_999, 300_000, 300_001, 599_999, 600_000, 600_001, 601_000, 601_001,
          ]) {
            time = START + at - seconds * 1000
            expect((await verify(request, SECRET, second, two)).ok).toBe(false)
          }
        }
      },
    )
  })
})
