import { requirePackage } from '../packages/packages.js'

/**
 * Adds the item to the error of a refused condition, as DynamoDB does and dynalite does not. Returns the client.
 *
 * @template Client
 * @param {Client} client - a `DynamoDBClient`.
 */
export function returningItems(client) {
  const { GetItemCommand } = requirePackage('@aws-sdk/client-dynamodb')
  /** @param {(args: object) => Promise<object>} next */
  const returningItem = (next) => async (/** @type {{ input: Record<string, unknown> }} */ args) => {
    try {
      return await next(args)
    } catch (error) {
      const { ReturnValuesOnConditionCheckFailure: wanted, TableName, Item } = args.input
      if (Object(error).name !== 'ConditionalCheckFailedException' || wanted !== 'ALL_OLD') throw error
      const key = { key_hash: Object(Item).key_hash }
      const found = await Object(client).send(new GetItemCommand({ TableName, Key: key, ConsistentRead: true }))
      throw Object.assign(Object(error), { Item: found.Item })
    }
  }
  Object(client).middlewareStack.add(returningItem, { step: 'initialize' })
  return client
}
