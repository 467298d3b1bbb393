import { createHash } from 'node:crypto'
import { Queue, Worker } from 'bullmq'

const { REDIS_URL: url = 'redis://localhost' } = process.env
// While Redis is down, `add` fails at once. By default, it would wait.
const connection = { url, maxRetriesPerRequest: 1, enableOfflineQueue: false }
const queue = new Queue('webhooks', { connection }).on('error', console.error)
await queue.waitUntilReady()

/** Adds the job. BullMQ ignores the `jobId` of a job that it still has, so an event that is sent again adds no second job. */
export async function addJob({ body }: { body: Buffer }) {
  const event = JSON.parse(body.toString())
  if (typeof event.id !== 'string') throw new Error('The event has no ID.')
  const jobId = createHash('sha256').update(event.id).digest('hex')
  const retries = { attempts: 10, backoff: { type: 'exponential', delay: 1000 } }
  await queue.add('webhook', event, { jobId, ...retries, removeOnComplete: { age: 7 * 86_400 } })
}

// This part can run in another process.
const work = async ({ data }: { data: unknown }) => {
  console.log(data) // your slow work
}
new Worker('webhooks', work, { connection: { url, maxRetriesPerRequest: null } }).on('error', console.error)
