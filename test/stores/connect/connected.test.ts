import { expect, it } from 'vitest'
import { probe } from '../../../src/stores/connect/connected.js'
import { Reservations } from '../../../src/stores/reservations.js'

it('the probe finds its key twice on a server that needs 100 ms per response, and releases it before it expires', async () => {
  let now = 0
  let expires = 0
  const found: string[] = []
  const respond = async (statement: string) => {
    now += 100
    found.push(`${statement}, ${now < expires ? 'taken' : 'free'}`)
  }
  const reservations = new Reservations(1000, () => now)
  await probe({
    reserve: (_webhookId, key, ttlSeconds) =>
      reservations.reserve([key], ttlSeconds, async () => {
        await respond('reserve')
        expires ||= now + ttlSeconds * 1000
        return found.length === 1
      }),
    release: (_webhookId, keys) => reservations.release(keys, () => respond('release')),
  })
  expect(found).toEqual(['reserve, free', 'reserve, taken', 'release, taken'])
})
