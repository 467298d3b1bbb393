import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb'
import { DynamoDBNonceStore } from 'inbound-webhook-auth/dynamodb'

const client = new DynamoDBClient() // The client of your service.
const limit = { requestTimeout: 1000 }
export const nonceStore = new DynamoDBNonceStore({ putItem: (input) => client.send(new PutItemCommand(input), limit) })
await nonceStore.check()
