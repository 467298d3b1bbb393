import { afterEach, beforeEach, it, vi } from 'vitest'
import { expectListedDifferences } from '../../standard-webhooks/other-libraries.js'
import { requirePackage } from '../packages/packages.js'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
})
afterEach(() => {
  vi.useRealTimers()
})

it('svix accepts and refuses the same requests, but for the listed differences', async () => {
  const { Webhook } = requirePackage('svix')
  await expectListedDifferences({ prefix: 'svix', create: (secret) => new Webhook(secret) })
})
