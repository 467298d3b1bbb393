import { subscribe } from 'node:diagnostics_channel'
import { Counter, Histogram } from 'prom-client'

/** @param {import('prom-client').Registry} register */
export function createMetrics(register) {
  const registers = [register]
  const requests = new Counter({
    name: 'webhook_requests_total',
    help: 'Webhook requests by webhook and outcome, such as accepted, a reason, the code of an error, or failed.',
    labelNames: ['webhook', 'result'],
    registers,
  })
  const secrets = new Counter({
    name: 'webhook_secret_index_total',
    help: 'Accepted requests by webhook and by the index of the secret that matched.',
    labelNames: ['webhook', 'index'],
    registers,
  })
  const seconds = new Histogram({
    name: 'webhook_request_seconds',
    help: 'How long receive or handle took, by result.',
    labelNames: ['result'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers,
  })
  subscribe('inbound-webhook-auth:result', (message) => {
    const {
      webhookId: webhook = '',
      outcome: result,
      milliseconds,
      secretIndex: index = 0,
    } = /** @type {import('inbound-webhook-auth').WebhookResult} */ (message)
    try {
      requests.inc({ webhook, result })
      if (result === 'accepted') secrets.inc({ webhook, index })
      seconds.observe({ result }, milliseconds / 1000)
    } catch (error) {
      console.error(error)
    }
  })
}
