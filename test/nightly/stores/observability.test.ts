import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { handle, MemoryNonceStore, type NonceStore, receive, sign } from '../../../src/index.js'
import { ROOT } from '../../support/packed.js'
import { isInstalled } from '../../support/programs.js'
import { hasPackage, requirePackage } from '../packages/packages.js'
import { importGuideCode } from './guide-code.js'

const PACKAGES = ['prom-client', '@opentelemetry/sdk-metrics', 'yaml']
const installed = isInstalled('the packages of the observability guide', PACKAGES.every(hasPackage))

const SECRET = 'a secret of the guide'
const failing: NonceStore = {
  reserve() {
    throw new Error('the store is down')
  },
}
const busy: NonceStore = {
  async reserve() {
    throw Object.assign(new Error('the server is behind'), { code: 'ERR_NONCE_STORE_BUSY' })
  },
}

/** Receives one request of each kind: both results of the store, both errors of the store, and a failure of the work. */
async function receiveEachKind(): Promise<void> {
  const nonceStore = new MemoryNonceStore()
  const body = Buffer.from('{"a":1}')
  const sourceOf = (headers = sign(body, SECRET)) => ({ webhookId: '42', request: { headers, body } })
  const first = sourceOf()
  const settle = (call: Promise<unknown>) => call.catch(() => {})
  await receive(first, SECRET, nonceStore)
  await settle(receive(first, SECRET, nonceStore))
  await settle(receive(sourceOf(sign('another', SECRET)), SECRET, nonceStore))
  await settle(receive(sourceOf(sign(body, SECRET, { timestamp: 1_700_000_000 })), SECRET, nonceStore))
  await receive(sourceOf(sign(body, 'the old secret')), [SECRET, 'the old secret'], nonceStore)
  await settle(receive(sourceOf(), SECRET, failing))
  await settle(receive(sourceOf(), SECRET, busy))
  await settle(receive({ ...sourceOf(), webhookId: '' }, SECRET, nonceStore))
  await settle(handle(sourceOf(), SECRET, nonceStore, () => Promise.reject(new Error('the database is down'))))
}

/** The requests above, by webhook and result. */
const REQUESTS = {
  '42 accepted': 2,
  '42 replayed_nonce': 1,
  '42 signature_mismatch': 1,
  '42 timestamp_outside_window': 1,
  '42 ERR_NONCE_STORE': 1,
  '42 ERR_NONCE_STORE_BUSY': 1,
  '42 failed': 1,
  ' ERR_INVALID_ARGUMENT': 1,
}

/** Returns the lines that prom-client exports after these requests. */
async function exportedLines(): Promise<string[]> {
  const { Registry } = requirePackage('prom-client')
  const register = new Registry()
  ;(await importGuideCode('docs/observability/prom-client.js')).createMetrics(register)
  await receiveEachKind()
  return (await register.metrics()).split('\n')
}

describe.runIf(installed)('the recipe for', () => {
  it('prom-client counts results, secrets and reservations', async () => {
    const requests = Object.entries(REQUESTS).map(([labels, count]) => {
      const [webhook, result] = labels.split(' ')
      return `webhook_requests_total{webhook="${webhook}",result="${result}"} ${count}`
    })
    expect(await exportedLines()).toEqual(
      expect.arrayContaining([
        ...requests,
        'webhook_secret_index_total{webhook="42",index="0"} 1',
        'webhook_secret_index_total{webhook="42",index="1"} 1',
        'webhook_request_seconds_count{result="accepted"} 2',
        'webhook_request_seconds_count{result="failed"} 1',
      ]),
    )
  })

  it('OpenTelemetry counts the same', async () => {
    const sdk = requirePackage('@opentelemetry/sdk-metrics')
    const exporter = new sdk.InMemoryMetricExporter(sdk.AggregationTemporality.CUMULATIVE)
    const reader = new sdk.PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 60_000 })
    const provider = new sdk.MeterProvider({ readers: [reader] })
    const { createMetrics } = await importGuideCode('docs/observability/opentelemetry.js')
    createMetrics(provider.getMeter('test'))
    await receiveEachKind()
    await provider.forceFlush()
    const points: Record<string, number> = {}
    for (const { descriptor, dataPoints } of exporter.getMetrics()[0].scopeMetrics[0].metrics) {
      for (const { attributes, value } of dataPoints) {
        points[`${descriptor.name} ${Object.values(attributes).join(' ')}`] = value.count ?? value
      }
    }
    await provider.shutdown()
    const requests = Object.entries(REQUESTS).flatMap(([labels, count]) => [
      [`webhook.requests ${labels}`, count],
      // The duration has no webhook.
      [`webhook.request ${labels.split(' ')[1]}`, count],
    ])
    const secrets = { 'webhook.secret_index 42 0': 1, 'webhook.secret_index 42 1': 1 }
    expect(points).toEqual({ ...Object.fromEntries(requests), ...secrets })
  })
})

describe.runIf(installed)('the alerts and the dashboard', () => {
  const text = (file: string) => readFileSync(join(ROOT, 'docs/observability', file), 'utf8')
  let exported: string[]
  beforeAll(async () => {
    exported = (await exportedLines()).flatMap((line) => /^(webhook_\w+)/.exec(line)?.[1] ?? [])
  })

  function expectKnown(expressions: string[]) {
    expect(expressions.length).toBeGreaterThan(4)
    for (const expression of expressions) {
      const names = expression.match(/webhook_\w+/g) ?? []
      expect(names.filter((name) => !exported.includes(name))).toEqual([])
      expect(names.length).toBeGreaterThan(0)
      // The brackets are balanced.
      for (const [open, close] of ['()', '{}', '[]']) {
        expect(expression.split(open ?? '').length).toBe(expression.split(close ?? '').length)
      }
    }
  }

  it('ask for metrics that the recipe exports: alerts', () => {
    const { groups } = requirePackage('yaml').parse(text('alerts.yaml'))
    expectKnown(groups[0].rules.map(({ expr }: { expr: string }) => expr))
  })

  it('ask for metrics that the recipe exports: dashboard', () => {
    const dashboard = JSON.parse(text('grafana-dashboard.json'))
    expectKnown(
      dashboard.panels.flatMap(({ targets }: { targets: { expr: string }[] }) => targets.map(({ expr }) => expr)),
    )
    const variables = dashboard.templating.list.map(({ name }: { name: string }) => name)
    expect(variables).toEqual(['datasource', 'webhook'])
  })
})
