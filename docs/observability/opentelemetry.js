import { subscribe } from 'node:diagnostics_channel'
import { metrics } from '@opentelemetry/api'

export function createMetrics(meter = metrics.getMeter('webhooks')) {
  const requests = meter.createCounter('webhook.requests', {
    description: 'Requests by webhook and outcome, such as accepted, a reason, the code of an error, or failed.',
  })
  const secrets = meter.createCounter('webhook.secret_index', {
    description: 'Accepted requests by webhook and by the index of the secret that matched.',
  })
  const seconds = meter.createHistogram('webhook.request', {
    description: 'How long receive or handle took, by result.',
    unit: 's',
    advice: { explicitBucketBoundaries: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30] },
  })
  subscribe('inbound-webhook-auth:result', (message) => {
    const {
      webhookId: webhook = '',
      outcome: result,
      milliseconds,
      secretIndex: index = 0,
    } = /** @type {import('inbound-webhook-auth').WebhookResult} */ (message)
    try {
      requests.add(1, { webhook, result })
      if (result === 'accepted') secrets.add(1, { webhook, index })
      seconds.record(milliseconds / 1000, { result })
    } catch (error) {
      console.error(error)
    }
  })
}
