import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { MemoryNonceStore, type NonceStore, sign, type verify } from '../../../src/index.js'
import { importGuideCode } from '../../support/guide-code.js'
import { ROOT } from '../../support/packed.js'
import { isInstalled } from '../../support/programs.js'
import { hasPackage, requirePackage } from '../packages/packages.js'

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

interface Metrics {
  measured(nonceStore: NonceStore): NonceStore
  verify: typeof verify
}

/** Sends one request of each kind, for both results of each store call and both errors of `verify`. */
async function sendOfEachKind(metrics: Metrics): Promise<void> {
  const nonceStore = metrics.measured(new MemoryNonceStore())
  const request = { webhookId: '42', headers: sign('{"a":1}', SECRET), body: '{"a":1}' }
  const old = { webhookId: '42', headers: sign('', 'the old secret'), body: '' }
  const late = { webhookId: '42', headers: sign('', SECRET, { timestamp: 1_700_000_000 }), body: '' }
  expect((await metrics.verify(request, SECRET, nonceStore)).ok).toBe(true)
  expect((await metrics.verify(request, SECRET, nonceStore)).ok).toBe(false)
  expect((await metrics.verify({ ...request, body: '' }, SECRET, nonceStore)).ok).toBe(false)
  expect((await metrics.verify(late, SECRET, nonceStore)).ok).toBe(false)
  expect((await metrics.verify(old, [SECRET, 'the old secret'], nonceStore)).ok).toBe(true)
  await expect(metrics.verify(newRequestOf(), SECRET, metrics.measured(failing))).rejects.toThrow(
    'The nonce store failed',
  )
  await expect(metrics.verify(newRequestOf(), SECRET, metrics.measured(busy))).rejects.toThrow('The nonce store failed')
  await expect(metrics.verify({ ...request, webhookId: '' }, SECRET, nonceStore)).rejects.toThrow('webhookId')
  // A store without reserveAll gets none by being measured.
  expect(metrics.measured(failing).reserveAll).toBeUndefined()
}

function newRequestOf() {
  return { webhookId: '42', headers: sign('', SECRET), body: '' }
}

describe.runIf(installed)('the recipe for', () => {
  it('prom-client counts results, secrets and reservations', async () => {
    const { Registry } = requirePackage('prom-client')
    const register = new Registry()
    await sendOfEachKind((await importGuideCode('docs/observability/prom-client.js')).createMetrics(register))
    const lines: string[] = (await register.metrics()).split('\n')
    for (const line of [
      'webhook_requests_total{webhook="42",result="accepted"} 2',
      'webhook_requests_total{webhook="42",result="replayed_nonce"} 1',
      'webhook_requests_total{webhook="42",result="signature_mismatch"} 1',
      'webhook_requests_total{webhook="42",result="timestamp_outside_window"} 1',
      'webhook_requests_total{webhook="42",result="store_error"} 2',
      'webhook_requests_total{webhook="",result="error"} 1',
      'webhook_secret_index_total{webhook="42",index="0"} 1',
      'webhook_secret_index_total{webhook="42",index="1"} 1',
      // One call reserves both keys of the JSON body.
      'webhook_nonce_reservation_seconds_count{outcome="reserved"} 2',
      'webhook_nonce_reservation_seconds_count{outcome="taken"} 1',
      'webhook_nonce_reservation_seconds_count{outcome="refused"} 1',
      'webhook_nonce_reservation_seconds_count{outcome="error"} 1',
    ]) {
      expect(lines).toContain(line)
    }
  })

  it('OpenTelemetry counts the same', async () => {
    const sdk = requirePackage('@opentelemetry/sdk-metrics')
    const exporter = new sdk.InMemoryMetricExporter(sdk.AggregationTemporality.CUMULATIVE)
    const reader = new sdk.PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 60_000 })
    const provider = new sdk.MeterProvider({ readers: [reader] })
    const { createMetrics } = await importGuideCode('docs/observability/opentelemetry.js')
    await sendOfEachKind(createMetrics(provider.getMeter('test')))
    await provider.forceFlush()
    const points: Record<string, number> = {}
    for (const { descriptor, dataPoints } of exporter.getMetrics()[0].scopeMetrics[0].metrics) {
      for (const { attributes, value } of dataPoints) {
        points[`${descriptor.name} ${Object.values(attributes).join(' ')}`] = value.count ?? value
      }
    }
    await provider.shutdown()
    expect(points).toEqual({
      'webhook.requests 42 accepted': 2,
      'webhook.requests 42 replayed_nonce': 1,
      'webhook.requests 42 signature_mismatch': 1,
      'webhook.requests 42 timestamp_outside_window': 1,
      'webhook.requests 42 store_error': 2,
      'webhook.requests  error': 1,
      'webhook.secret_index 42 0': 1,
      'webhook.secret_index 42 1': 1,
      'webhook.nonce_reservation reserved': 2,
      'webhook.nonce_reservation taken': 1,
      'webhook.nonce_reservation refused': 1,
      'webhook.nonce_reservation error': 1,
    })
  })
})

describe.runIf(installed)('the alerts and the dashboard', () => {
  const text = (file: string) => readFileSync(join(ROOT, 'docs/observability', file), 'utf8')
  let exported: string[]
  beforeAll(async () => {
    const { Registry } = requirePackage('prom-client')
    const register = new Registry()
    await sendOfEachKind((await importGuideCode('docs/observability/prom-client.js')).createMetrics(register))
    const lines: string[] = (await register.metrics()).split('\n')
    exported = lines.flatMap((line) => /^(webhook_\w+)/.exec(line)?.[1] ?? [])
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
