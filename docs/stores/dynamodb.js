import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb'
import { DynamoDBNonceStore } from 'inbound-webhook-auth/dynamodb'

/**
 * @param {import('@aws-sdk/client-dynamodb').DynamoDBClientConfig} [config]
 * @param {number} [timeout] - how long a reservation may take, in milliseconds.
 */
export function connect(config = {}, timeout = 1000) {
  const client = new DynamoDBClient({
    // A request is sent again if its connection breaks, but not if DynamoDB is slow.
    maxAttempts: 2,
    requestHandler: { connectionTimeout: timeout / 2 },
    ...config,
  })
  const nonceStore = new DynamoDBNonceStore({
    timeout,
    putItem: (input) => client.send(new PutItemCommand(input), { abortSignal: AbortSignal.timeout(timeout) }),
  })
  return { client, nonceStore, close: () => client.destroy() }
}
