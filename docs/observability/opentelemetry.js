import { metrics } from '@opentelemetry/api'
import { hasErrorCode, verify } from 'inbound-webhook-auth'

export function createMetrics(meter = metrics.getMeter('webhooks')) {
  const requests = meter.createCounter('webhook.requests', {
    description: 'Webhook requests by webhook and result: accepted, the reason of a rejection, store_error or error.',
  })
  const secrets = meter.createCounter('webhook.secret_index', {
    description: 'Accepted requests by webhook and by the index of the secret that matched.',
  })
  const reservations = meter.createHistogram('webhook.nonce_reservation', {
    description: 'How long the nonce store took, by outcome: reserved, taken or error.',
    unit: 's',
    advice: { explicitBucketBoundaries: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1] },
  })

  /**
   * Returns the store with a measurement around each call.
   *
   * @param {import('inbound-webhook-auth').NonceStore} nonceStore
   * @returns {import('inbound-webhook-auth').NonceStore}
   */
  function measured(nonceStore) {
    const { reserveAll } = nonceStore
    return {
      reserve: (...call) => time(() => nonceStore.reserve(...call)),
      ...(reserveAll && { reserveAll: (...call) => time(() => reserveAll.apply(nonceStore, call)) }),
    }
  }

  /** @param {() => boolean | Promise<boolean>} reserve */
  async function time(reserve) {
    const start = performance.now()
    const end = (/** @type {string} */ outcome) => reservations.record((performance.now() - start) / 1000, { outcome })
    try {
      const isReserved = await reserve()
      end(isReserved ? 'reserved' : 'taken')
      return isReserved
    } catch (error) {
      end('error')
      throw error
    }
  }

  /** @type {typeof verify} */
  async function measuredVerify(request, ...rest) {
    const webhook = request.webhookId
    try {
      const result = await verify(request, ...rest)
      requests.add(1, { webhook, result: result.ok ? 'accepted' : result.reason })
      if (result.ok) secrets.add(1, { webhook, index: result.secretIndex })
      return result
    } catch (error) {
      requests.add(1, { webhook, result: hasErrorCode(error, 'ERR_NONCE_STORE') ? 'store_error' : 'error' })
      throw error
    }
  }

  return { measured, verify: measuredVerify }
}
