import { CreateTableCommand, UpdateTimeToLiveCommand, waitUntilTableExists } from '@aws-sdk/client-dynamodb'

/**
 * @param {import('@aws-sdk/client-dynamodb').DynamoDBClient} client
 * @param {string} [TableName]
 */
export async function createTable(client, TableName = 'webhook_nonces') {
  await client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'key_hash', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'key_hash', KeyType: 'HASH' }],
    }),
  )
  await waitUntilTableExists({ client, maxWaitTime: 60, minDelay: 1 }, { TableName })
  const TimeToLiveSpecification = { AttributeName: 'expires_at', Enabled: true }
  await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }))
}
