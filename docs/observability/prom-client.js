import { hasErrorCode, verify } from 'inbound-webhook-auth'
import { Counter, Histogram } from 'prom-client'

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
    help: 'How long the nonce store took, by outcome: reserved, taken or error.',
    labelNames: ['outcome'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1],
    registers,
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
    const end = reservations.startTimer()
    try {
      const isReserved = await reserve()
      end({ outcome: isReserved ? 'reserved' : 'taken' })
      return isReserved
    } catch (error) {
      end({ outcome: 'error' })
      throw error
    }
  }

  /** @type {typeof verify} */
  async function measuredVerify(request, ...rest) {
    const webhook = request.webhookId
    try {
      const result = await verify(request, ...rest)
      requests.inc({ webhook, result: result.ok ? 'accepted' : result.reason })
      if (result.ok) secrets.inc({ webhook, index: result.secretIndex })
      return result
    } catch (error) {
      requests.inc({ webhook, result: hasErrorCode(error, 'ERR_NONCE_STORE') ? 'store_error' : 'error' })
      throw error
    }
  }

  return { measured, verify: measuredVerify }
}
