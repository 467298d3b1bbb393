import { Counter, Histogram } from 'prom-client'
import { measure } from './measure.js'

/** @param {import('prom-client').Registry} register */
export function createMetrics(register) {
  const registers = [register]
  const requests = new Counter({
    name: 'webhook_requests_total',
    help: 'Webhook requests by webhook and result: accepted, the reason of a rejection, store_error or error.',
    labelNames: ['webhook', 'result'],
    registers,
  })
  const secrets = new Counter({
    name: 'webhook_secret_index_total',
    help: 'Accepted requests by webhook and by the index of the secret that matched.',
    labelNames: ['webhook', 'index'],
    registers,
  })
  const reservations = new Histogram({
    name: 'webhook_nonce_reservation_seconds',
    help: 'How long the nonce store took, by outcome: reserved, taken, refused or error.',
    labelNames: ['outcome'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1],
    registers,
  })
  return measure({
    countRequest: (webhook, result) => requests.inc({ webhook, result }),
    countSecret: (webhook, index) => secrets.inc({ webhook, index }),
    recordReservation: (seconds, outcome) => reservations.observe({ outcome }, seconds),
  })
}
