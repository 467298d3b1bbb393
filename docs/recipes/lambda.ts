// # AWS Lambda
//
// This handler suits a REST API, an HTTP API or a function URL. Save it as `index.mts`, set `REDIS_URL` and `WEBHOOK_SECRET`, bundle it, and upload `index.mjs` with
// `node_modules`:
//
// ```sh
// npx esbuild index.mts --bundle --packages=external --platform=node --format=esm --outfile=index.mjs
// ```
//
// - **Set the binary media types of a REST API to `*/*`.** Otherwise, bodies arrive as text, which may change their bytes.
// - **Leave payload compression off.** With it, API Gateway decompresses bodies, and their signatures no longer match.
// - For an Application Load Balancer, switch on multi-value headers. Otherwise, only the last value of a repeated header arrives.
// - A function accepts bodies of up to 6 MB, and API Gateway headers of up to 10 KB.
// - Without a VPC, use [DynamoDB](../operate/dynamodb.md). Save the first code of its page as `dynamodb.js`, create the table, and replace the lines for Redis:
//
// ```js
// import { nonceStore } from './dynamodb.js'
// ```

import type { APIGatewayProxyEvent, APIGatewayProxyEventV2, APIGatewayProxyResult } from 'aws-lambda'
import { handle, refusal } from 'inbound-webhook-auth'
import { RedisNonceStore } from 'inbound-webhook-auth/redis'
import { createClient } from 'redis'

const { WEBHOOK_SECRET: secret, REDIS_URL: url = 'redis://localhost' } = process.env
if (!secret) throw new Error('WEBHOOK_SECRET is not set')
// Each instance has its own memory and stops when it is idle. So Redis keeps the nonces.
const client = createClient({ url })
await client.on('error', console.error).connect()
const nonceStore = new RedisNonceStore({ sendCommand: (args) => client.sendCommand(args) })

export const handler = async (event: APIGatewayProxyEvent | APIGatewayProxyEventV2): Promise<APIGatewayProxyResult> => {
  try {
    const source = { webhookId: 'billing', request: event }
    await handle(source, secret, nonceStore, ({ body }) => {
      console.log(body.toString()) // your code
    })
    return { statusCode: 204, body: '' }
  } catch (error) {
    const { status, headers } = refusal(error)
    return { statusCode: status, headers: Object.fromEntries(headers), body: '' }
  }
}
