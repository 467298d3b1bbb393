import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { type Driver, KeptClient } from '../../../src/stores/connect/kept-client.js'
import { noTimers, timersInUse } from '../../support/timers.js'

// The clients are fakes, because a real one cannot be made to hang at each step. test/integration has the real ones.

interface FakeClient {
  number: number
  works: boolean
  closed: number
}

const TIMEOUT = 50

/** A driver of fakes. `steps` replaces some of its functions. */
function driverWith(steps: Partial<Driver<FakeClient>> = {}) {
  const clients: FakeClient[] = []
  const errors: string[] = []
  const driver: Driver<FakeClient> = {
    create() {
      const client = { number: clients.length, works: true, closed: 0 }
      clients.push(client)
      return client
    },
    async connect() {},
    async check({ works }) {
      if (!works) throw new Error('broken')
    },
    async close(client) {
      client.closed++
    },
    ...steps,
  }
  const open = () =>
    KeptClient.open(driver, TIMEOUT, (error) => errors.push(Object(error).cause?.message ?? String(error)))
  return { open, clients, errors }
}

describe('a kept client', () => {
  it('is replaced once if it breaks, and closed after its last answers', async () => {
    const replaced = vi.fn()
    const { open, clients } = driverWith({ replaced })
    const kept = await open()
    const [first] = clients
    expect(replaced).toHaveBeenCalledTimes(0)
    const replacements = Array.from({ length: 3 }, () => kept.replace(kept.client, new Error('lost')))
    for (const replacement of replacements) expect((await replacement).number).toBe(1)
    expect(kept.client.number).toBe(1)
    expect(replaced).toHaveBeenCalledTimes(1)
    expect(first?.closed).toBe(0)
    await sleep(2 * TIMEOUT)
    expect(first?.closed).toBe(1)
    await kept.close()
    expect(clients.map(({ closed }) => closed)).toEqual([1, 1])
  })

  it('stays if another one is reported, which was replaced before', async () => {
    const { open, clients } = driverWith()
    const kept = await open()
    const old = kept.client
    await kept.replace(old, new Error('lost'))
    expect((await kept.replace(old, new Error('lost, reported late'))).number).toBe(1)
    expect(clients).toHaveLength(2)
    await kept.close()
  })

  it('is replaced when a check fails or gets no answer', async () => {
    const { open, clients } = driverWith({
      async check({ works }) {
        if (!works) await new Promise(() => {})
      },
    })
    const kept = await open()
    void kept.watch(5)
    kept.client.works = false
    await sleep(4 * TIMEOUT)
    expect(kept.client.number).toBe(1)
    await kept.close()
    expect(clients.map(({ closed }) => closed)).toEqual([1, 1])
  })

  it('is replaced by the first client that works, and all others are closed', async () => {
    const { open, clients, errors } = driverWith({
      async connect({ number }) {
        if (number === 1) throw new Error('refused')
        if (number === 2) await new Promise(() => {})
      },
    })
    const kept = await open()
    expect((await kept.replace(kept.client, new Error('lost'))).number).toBe(3)
    await kept.close()
    expect(clients.map(({ closed }) => closed)).toEqual([1, 1, 1, 1])
    expect(errors).toEqual(['Error: lost', 'refused', 'The server did not answer within 50 ms.'])
  })

  it('is closed while it is replaced: nothing stays open, and who waits gets an error', async () => {
    const { open, clients } = driverWith({
      async connect({ number }) {
        if (number > 0) await sleep(10)
      },
    })
    const kept = await open()
    const replacement = kept.replace(kept.client, new Error('lost'))
    const rejected = expect(replacement).rejects.toThrow('The nonce store is closed')
    await kept.close()
    await rejected
    await sleep(4 * TIMEOUT)
    expect(clients.map(({ closed }) => closed)).toEqual([1, 1])
    expect(() => kept.client).toThrow('The nonce store is closed. Connect a new one')
    await expect(kept.replace(clients[0] as FakeClient, new Error())).rejects.toThrow('is closed')
    await kept.close()
  })

  it('is closed while none can be opened: the attempts end', async () => {
    const { open, clients } = driverWith({
      async connect({ number }) {
        if (number > 0) throw new Error('refused')
      },
    })
    const kept = await open()
    const rejected = expect(kept.replace(kept.client, new Error('lost'))).rejects.toThrow('is closed')
    await sleep(20)
    await kept.close()
    await rejected
    const attempts = clients.length
    await sleep(250)
    expect(clients).toHaveLength(attempts)
  })

  it('is closed while a check has it replaced', async () => {
    const { open, clients } = driverWith({
      async connect({ number }) {
        if (number > 0) await new Promise(() => {})
      },
    })
    const kept = await open()
    void kept.watch(5)
    kept.client.works = false
    await sleep(20)
    await kept.close()
    await sleep(4 * TIMEOUT)
    expect(clients.map(({ closed }) => closed)).toEqual([1, 1])
  })

  it('settles close() though a client never ends or fails to end', async () => {
    for (const close of [() => new Promise(() => {}), () => Promise.reject(new Error('cannot end'))]) {
      const { open, errors } = driverWith({ close })
      const kept = await open()
      await kept.close()
      expect(errors).toHaveLength(1)
    }
  })

  it('closes the first client if it cannot be opened, and says why', async () => {
    const { open, clients } = driverWith({ connect: () => Promise.reject(new Error('refused')) })
    await expect(open()).rejects.toMatchObject({ code: 'ERR_NONCE_STORE', cause: new Error('refused') })
    expect(clients.map(({ closed }) => closed)).toEqual([1])
  })

  it('is not opened if its first check gets no answer', async () => {
    const { open, clients } = driverWith({ check: () => new Promise(() => {}) })
    await expect(open()).rejects.toMatchObject({ cause: new Error('The server did not answer within 50 ms.') })
    expect(clients.map(({ closed }) => closed)).toEqual([1])
  })

  it('says why it cannot be opened, by what the client emitted before', async () => {
    const { open } = driverWith({
      create(onError) {
        onError(new Error('WRONGPASS invalid username-password pair'))
        return { number: 0, works: true, closed: 0 }
      },
      connect: () => Promise.reject(new Error('None of the root nodes is available')),
    })
    await expect(open()).rejects.toThrow('The server refused the user name or the password.')
  })

  it('waits for twice the time-out until a client is closed, and no longer', async () => {
    const { open } = driverWith({ close: () => new Promise(() => {}) })
    const kept = await open()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      let isClosed = false
      const closing = kept.close().then(() => {
        isClosed = true
      })
      await vi.advanceTimersByTimeAsync(2 * TIMEOUT - 1)
      expect(isClosed).toBe(false)
      await vi.advanceTimersByTimeAsync(1)
      await new Promise((resolve) => setImmediate(resolve))
      expect(isClosed).toBe(true)
      await closing
    } finally {
      vi.useRealTimers()
    }
  })

  it('has no timer that keeps the process running, before it is closed and after', async () => {
    await noTimers()
    const { open, clients } = driverWith({
      async connect({ number }) {
        if (number === 1) throw new Error('refused')
      },
    })
    const kept = await open()
    void kept.watch(10_000)
    const replacement = kept.replace(kept.client, new Error('lost'))
    await sleep(20)
    // It waits for the next check, and for the next attempt to replace the client.
    expect(clients).toHaveLength(2)
    expect(timersInUse()).toBe(0)
    await replacement
    // The first client may still answer.
    expect(clients[0]?.closed).toBe(0)
    expect(timersInUse()).toBe(0)
    await kept.close()
    expect(timersInUse()).toBe(0)
  })

  it('closes each client that it could not open, and tries again', async () => {
    const { open, clients } = driverWith({
      async connect({ number }) {
        if (number === 1 || number === 2) throw new Error('refused')
      },
    })
    const kept = await open()
    expect((await kept.replace(kept.client, new Error('lost'))).number).toBe(3)
    expect(clients.slice(1).map(({ closed }) => closed)).toEqual([1, 1, 0])
    await kept.close()
  })

  it('is waited for while the server is down for a short time, and then no longer', async () => {
    let isDown = true
    const { open, clients } = driverWith({
      async connect({ number }) {
        if (number > 0 && isDown) throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
      },
    })
    const kept = await open()
    const old = kept.client
    const refused = { code: 'ERR_NONCE_STORE', cause: new Error('connect ECONNREFUSED') }
    await expect(kept.replace(old, new Error('lost'))).rejects.toMatchObject(refused)
    const tried = clients.length
    expect(tried, 'it was tried more than once').toBeGreaterThan(2)
    await expect(kept.replace(old, new Error('lost'))).rejects.toMatchObject(refused)
    expect(clients.length - tried).toBeLessThanOrEqual(1)
    expect(kept.client).toBe(old)
    isDown = false
    await vi.waitFor(() => expect(kept.client).not.toBe(old))
    expect((await kept.replace(kept.client, new Error('lost'))).number).toBeGreaterThan(2)
    await kept.close()
  })

  it('hears what a client emits', async () => {
    const emitted = new Error('emitted')
    const { open, errors } = driverWith({
      create(onError) {
        onError(emitted)
        return { number: 0, works: false, closed: 0 }
      },
    })
    await expect(open()).rejects.toMatchObject({ cause: new Error('broken') })
    expect(errors).toEqual(['Error: emitted'])
  })
})
