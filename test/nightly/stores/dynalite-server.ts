import { join } from 'node:path'
import { freePort, LocalServer } from '../../support/servers.js'
import { hasPackage, requirePackage } from '../packages/packages.js'

export function dynaliteIsInstalled(): boolean {
  return hasPackage('dynalite') && hasPackage('@aws-sdk/client-dynamodb')
}

/** Returns the SDK's settings for a server on a port of this machine. */
export function configOf(port: number) {
  const credentials = { accessKeyId: 'an id', secretAccessKey: 'a key' }
  return { endpoint: `http://127.0.0.1:${port}`, region: 'eu-central-1', credentials }
}

/** A process that speaks the protocol of DynamoDB, on a free loopback port, with its data in a temporary folder. */
export class DynaliteServer extends LocalServer {
  /** Starts a server with the table `webhook_nonces`. */
  static async start(): Promise<DynaliteServer> {
    const server = new DynaliteServer(await freePort())
    await server.restart()
    const { DynamoDBClient, CreateTableCommand, waitUntilTableExists } = requirePackage('@aws-sdk/client-dynamodb')
    const client = new DynamoDBClient(configOf(server.port))
    await client.send(
      new CreateTableCommand({
        TableName: 'webhook_nonces',
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [{ AttributeName: 'key_hash', AttributeType: 'S' }],
        KeySchema: [{ AttributeName: 'key_hash', KeyType: 'HASH' }],
      }),
    )
    await waitUntilTableExists({ client, maxWaitTime: 60, minDelay: 1 }, { TableName: 'webhook_nonces' })
    client.destroy()
    return server
  }

  async restart(): Promise<void> {
    const options = ['--port', String(this.port), '--host', '127.0.0.1', '--path', join(this.folder, 'data')]
    const script = requirePackage.resolve('dynalite/cli.js')
    this.launch(process.execPath, [script, ...options, '--createTableMs', '1'])
    await this.untilItListens()
  }
}
