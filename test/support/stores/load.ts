import { randomUUID } from 'node:crypto'
import { type NonceStore, sign, verify } from '../../../src/index.js'

export const SECRET = 'the secret of the load'

export function newRequest() {
  const body = `{"event":"${randomUUID()}"}`
  return { webhookId: '42', headers: sign(body, SECRET), body }
}

export type LoadRequest = ReturnType<typeof newRequest>

/** Returns `accepted`, the reason of a rejection, or the code of an error. */
export async function send(request: LoadRequest, store: NonceStore): Promise<string> {
  try {
    const result = await verify(request, SECRET, store)
    return result.ok ? 'accepted' : result.reason
  } catch (error) {
    return String(Object(error).code)
  }
}

/** Sends requests, `atOnce` at a time, and counts the outcomes. */
export async function sendAll(requests: LoadRequest[], store: NonceStore, atOnce = requests.length) {
  const counts: Record<string, number> = {}
  for (let start = 0; start < requests.length; start += atOnce) {
    const batch = requests.slice(start, start + atOnce)
    for (const outcome of await Promise.all(batch.map((request) => send(request, store)))) {
      counts[outcome] = (counts[outcome] ?? 0) + 1
    }
  }
  return counts
}
