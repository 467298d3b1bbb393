import { verify } from 'inbound-webhook-auth'

/**
 * Returns `verify` with its results counted, and a function that measures a nonce store.
 *
 * @param {object} meters
 * @param {(webhook: string, result: string) => void} meters.countRequest
 * @param {(webhook: string, index: number) => void} meters.countSecret
 * @param {(seconds: number, outcome: 'reserved' | 'taken' | 'refused' | 'error') => void} meters.recordReservation
 */
export function measure({ countRequest, countSecret, recordReservation }) {
  /** @type {typeof verify} */
  async function measuredVerify(request, ...rest) {
    const webhook = request.webhookId
    try {
      const result = await verify(request, ...rest)
      countRequest(webhook, result.ok ? 'accepted' : result.reason)
      if (result.ok) countSecret(webhook, result.secretIndex)
      return result
    } catch (error) {
      countRequest(webhook, Object(error).code === 'ERR_NONCE_STORE' ? 'store_error' : 'error')
      throw error
    }
  }

  /** @param {() => boolean | Promise<boolean>} reserve */
  async function time(reserve) {
    const start = performance.now()
    const seconds = () => (performance.now() - start) / 1000
    try {
      const isReserved = await reserve()
      recordReservation(seconds(), isReserved ? 'reserved' : 'taken')
      return isReserved
    } catch (error) {
      recordReservation(seconds(), Object(error).code === 'ERR_NONCE_STORE_BUSY' ? 'refused' : 'error')
      throw error
    }
  }

  /**
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

  return { measured, verify: measuredVerify }
}
