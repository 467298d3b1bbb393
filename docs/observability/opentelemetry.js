import { metrics } from '@opentelemetry/api'
import { measure } from './measure.js'

export function createMetrics(meter = metrics.getMeter('webhooks')) {
  const requests = meter.createCounter('webhook.requests', {
    description: 'Webhook requests by webhook and result: accepted, the reason of a rejection, store_error or error.',
  })
  const secrets = meter.createCounter('webhook.secret_index', {
    description: 'Accepted requests by webhook and by the index of the secret that matched.',
  })
  const reservations = meter.createHistogram('webhook.nonce_reservation', {
    description: 'How long the nonce store took, by outcome: reserved, taken, refused or error.',
    unit: 's',
    advice: { explicitBucketBoundaries: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1] },
  })
  return measure({
    countRequest: (webhook, result) => requests.add(1, { webhook, result }),
    countSecret: (webhook, index) => secrets.add(1, { webhook, index }),
    recordReservation: (seconds, outcome) => reservations.record(seconds, { outcome }),
  })
}
