import { run } from 'graphile-worker'
import type { PoolClient } from 'pg'

const { DATABASE_URL: connectionString = '' } = process.env

/** Adds the job in the transaction of `handle`, so that the job exists only if the transaction is committed. */
export async function addJob({ body }: { body: Buffer }, client: PoolClient) {
  await client.query("SELECT graphile_worker.add_job('webhook', $1::json, max_attempts => 10)", [body.toString()])
}

// This part can run in another process. It also creates the tables of the queue.
await run({
  connectionString,
  taskList: {
    async webhook(event) {
      console.log(event) // your slow work
    },
  },
})
