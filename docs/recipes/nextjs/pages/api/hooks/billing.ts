import { hasErrorCode, readBody, statusOf, verifyOrThrow } from 'inbound-webhook-auth'
import type { NextApiRequest, NextApiResponse } from 'next'
import { nonceStore } from '../../../nonce-store'

const { WEBHOOK_SECRET: secret = '' } = process.env
export const config = { api: { bodyParser: false } } // Otherwise Next.js reads the body first.

const receive = async (request: NextApiRequest, response: NextApiResponse) => {
  try {
    const body = await readBody(request)
    await verifyOrThrow({ webhookId: 'billing', headers: request.headers, body }, secret, nonceStore)

    console.log(body.toString()) // Replace this with your code.
    response.status(204).end()
  } catch (error) {
    if (hasErrorCode(error, 'ERR_WEBHOOK_REJECTED')) console.warn(error.reason, error.detail)
    else if (statusOf(error) >= 500) console.error(error)
    if (!request.complete) response.setHeader('Connection', 'close') // The rest of the body is not read.
    response.status(statusOf(error)).end()
  }
}

export default receive
