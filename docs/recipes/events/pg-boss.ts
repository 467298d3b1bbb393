import type { PoolClient } from 'pg'
import PgBoss from 'pg-boss'

const { DATABASE_URL: connectionString = '' } = process.env
const boss = new PgBoss(connectionString).on('error', console.error)
await boss.start()
await boss.createQueue('failed-webhooks')
const retries = { retryLimit: 10, retryDelay: 1, retryBackoff: true, deadLetter: 'failed-webhooks' }
await boss.createQueue('webhooks', { name: 'webhooks', ...retries })

/** Adds the job in the transaction of `handle`, so that the job exists only if the transaction is committed. */
export async function addJob({ body }: { body: Buffer }, client: PoolClient) {
  const db = { executeSql: (text: string, values: unknown[]) => client.query(text, values) }
  await boss.send('webhooks', JSON.parse(body.toString()), { db })
}

// This part can run in another process. Each of these ten workers looks for a job every 0.5 s.
for (let worker = 0; worker < 10; worker += 1) {
  await boss.work('webhooks', { pollingIntervalSeconds: 0.5 }, async ([job]) => {
    console.log(job?.data) // your slow work
  })
}
