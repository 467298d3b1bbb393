import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb'
import { DynamoDBNonceStore } from 'inbound-webhook-auth/dynamodb'

const client = new DynamoDBClient({ maxAttempts: 2, requestHandler: { connectionTimeout: 500, requestTimeout: 1000 } })
export const nonceStore = new DynamoDBNonceStore({ putItem: (input) => client.send(new PutItemCommand(input)) })
await nonceStore.check()
