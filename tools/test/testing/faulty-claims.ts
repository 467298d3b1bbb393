import { MemoryNonceStore, type NonceStore } from '../../../src/index.js'
import { TestClock } from '../../../test/support/request.js'
import { type FaultyStore, turn } from './faulty-stores.js'

// Stores whose `claim` has one fault. Everything else of each store is correct.

type Claim = NonNullable<NonceStore['claim']>
type Right = MemoryNonceStore & { readonly clock: TestClock }

function withClaim(fault: string, message: RegExp, parts: (right: Right) => Partial<NonceStore>): FaultyStore {
  return {
    fault: `claim: ${fault}`,
    message,
    create() {
      const clock = new TestClock(0)
      const right = Object.assign(new MemoryNonceStore({ clock }), { clock })
      const store: NonceStore = {
        reserve: (...call) => right.reserve(...call),
        reserveAll: (...call) => right.reserveAll(...call),
        release: (...call) => right.release(...call),
        claim: (...call) => right.claim(...call),
        ...parts(right),
      }
      return {
        createStore: () => store,
        options: {
          wait(milliseconds) {
            clock.milliseconds += milliseconds
          },
        },
      }
    },
  }
}

/** A store that answers some calls of `claim` without its backend. */
function answering(fault: string, message: RegExp, answer: (right: Right) => (...call: Parameters<Claim>) => unknown) {
  return withClaim(fault, message, (right) => {
    const find = answer(right)
    return { claim: (...call) => (find(...call) ?? right.claim(...call)) as ReturnType<Claim> }
  })
}

const addressOf = (webhookId: string, keys: readonly string[]) => JSON.stringify([webhookId, keys])
const NOT_FREED = /^claim\(\) returns '(taken|in_progress)', not 'claimed', for /
const NOT_TAKEN = /^claim\(\) returns '(claimed|in_progress)', not 'taken', for /
const NOT_CLAIMED = /^claim\(\) returns '(claimed|taken)', not 'in_progress', for /

export const FAULTY_CLAIMS: readonly FaultyStore[] = [
  withClaim('no release', /^The store has claim\(\), but no release\(\)\./, () => ({ release: undefined as never })),
  answering('returns a boolean', /^claim\(\) returned a boolean\./, () => () => true),
  withClaim(
    'one owner for all',
    /^claim\(\) returns 'claimed', not 'in_progress', for |calls of claim\(\) got the same/,
    (right) => ({
      claim: (id, keys, seconds, _, isDone) => right.claim(id, keys, seconds, 'everybody', isDone),
    }),
  ),
  answering('says taken for a live claim', NOT_CLAIMED, (right) => (...call) => {
    return call[4] || right.claim(...call) !== 'in_progress' ? undefined : 'taken'
  }),
  answering('refuses its own claim', /, for (its own claim|two own keys)\./, (right) => {
    const claimed = new Set<string>()
    return (id, keys, seconds, owner, isDone) => {
      const address = addressOf(id, [...keys, owner])
      if (isDone || !claimed.has(address)) return void claimed.add(address)
      return right.claim(id, keys, seconds, owner) === 'claimed' ? 'in_progress' : undefined
    }
  }),
  answering('does not extend its own claim', /not 'in_progress', for a claim that its owner extended/, () => {
    const claimed = new Set<string>()
    return (id, keys, _, owner, isDone) => {
      const address = addressOf(id, [...keys, owner])
      if (isDone) return void claimed.delete(address)
      return claimed.has(address) ? 'claimed' : void claimed.add(address)
    }
  }),
  withClaim('gets a reservation of the same owner', NOT_TAKEN, (right) => ({
    claim(...call) {
      const state = right.claim(...call)
      if (state !== 'taken') return state
      right.release(call[0], call[1], call[3])
      return right.claim(...call)
    },
  })),
  withClaim('extends a reservation', /for a key whose reservation has ended/, (right) => ({
    claim(...call) {
      const state = right.claim(...call)
      if (state === 'taken') right.claim(call[0], call[1], 600, call[3], true)
      return state
    },
  })),
  withClaim('never ends', NOT_FREED, (right) => ({
    claim: (id, keys, seconds, owner, isDone) => right.claim(id, keys, isDone ? seconds : 1e6, owner, isDone),
  })),
  withClaim('ends early', /^claim\(\) returns 'claimed', not '(in_progress|taken)', for /, (right) => ({
    claim: (id, keys, seconds, owner, isDone) => right.claim(id, keys, isDone ? seconds : seconds / 4, owner, isDone),
  })),
  answering(
    'isDone does nothing',
    /, for (a|one of two|its own|an event).*recorded|an event of 7 days|change no key of another owner|recorded/,
    () =>
      (...call) =>
        call[4] ? 'claimed' : undefined,
  ),
  withClaim('isDone keeps the end of the claim', /after the time of its claim|of 7 days after 6 days/, (right) => ({
    claim: (id, keys, seconds, owner, isDone) => right.claim(id, keys, isDone ? 1 : seconds, owner, isDone),
  })),
  answering('isDone needs a live claim', NOT_FREED, (right) => (id, keys, _, owner, isDone) => {
    if (!isDone || right.claim(id, keys, 600, 'another owner') !== 'claimed') return undefined
    right.release(id, keys, 'another owner')
    return owner === '' ? undefined : 'in_progress'
  }),
  answering('isDone works once', /not 'claimed', for its own key with isDone/, () => {
    const done = new Set<string>()
    return (id, keys, _, owner, isDone) => {
      const address = addressOf(id, [...keys, owner])
      if (!isDone || !done.has(address)) return isDone ? void done.add(address) : undefined
      return 'taken'
    }
  }),
  withClaim("isDone takes others' claims", NOT_CLAIMED, (right) => {
    const owners = new Map<string, string>()
    return {
      claim(id, keys, seconds, owner, isDone) {
        const address = addressOf(id, keys)
        if (isDone) right.release(id, keys, owners.get(address) ?? owner)
        else if (!owners.has(address)) owners.set(address, owner)
        return right.claim(id, keys, seconds, owner, isDone)
      },
    }
  }),
  withClaim('keeps the first of two keys', /Claim all keys or none\.$/, (right) => ({
    claim(id, keys, seconds, owner, isDone) {
      if (isDone) return right.claim(id, keys, seconds, owner, true)
      for (const key of keys) {
        const state = right.claim(id, [key], seconds, owner)
        if (state !== 'claimed') return state
      }
      return 'claimed'
    },
  })),
  withClaim('records the first of two keys', NOT_TAKEN, (right) => ({
    claim: (id, keys, seconds, owner, isDone) =>
      right.claim(id, isDone ? keys.slice(0, 1) : keys, seconds, owner, isDone),
  })),
  withClaim('looks up and then claims', /simultaneous calls of claim\(\) got the same key\. Use one/, (right) => ({
    async claim(id, keys, seconds, owner, isDone) {
      const state = right.claim(id, keys, seconds, owner, isDone)
      if (state !== 'claimed' || isDone || keys.length === 1) return state
      right.release(id, keys, owner)
      await turn()
      right.claim(id, keys, seconds, owner)
      return state
    },
  })),
  withClaim('is free for reserve()', /A live claim is taken for reserve\(\)\.|recorded/, (right) => {
    const claims = new Map<string, string>()
    return {
      reserve(id, key, ...rest) {
        right.release(id, [key], claims.get(addressOf(id, [key])) ?? '')
        return right.reserve(id, key, ...rest)
      },
      claim(id, keys, seconds, owner, isDone) {
        for (const key of keys) claims.set(addressOf(id, [key]), isDone ? '' : owner)
        return right.claim(id, keys, seconds, owner, isDone)
      },
    }
  }),
  withClaim('anybody releases it', /after a release\(\) of another owner|a late release\(\)/, (right) => {
    const owners = new Map<string, string>()
    return {
      claim(id, keys, seconds, owner, isDone) {
        const state = right.claim(id, keys, seconds, owner, isDone)
        if (state === 'claimed') owners.set(addressOf(id, keys), owner)
        return state
      },
      release: (id, keys, owner) => right.release(id, keys, owners.get(addressOf(id, keys)) ?? owner),
    }
  }),
  withClaim('release does not free it', /for a key that its owner released|for a free key/, (right) => {
    const claimed = new Set<string>()
    return {
      claim(id, keys, seconds, owner, isDone) {
        claimed.add(owner)
        return right.claim(id, keys, seconds, owner, isDone)
      },
      release: (id, keys, owner) => (claimed.has(owner) ? undefined : right.release(id, keys, owner)),
    }
  }),
  withClaim('keeps nothing longer than a day', /an event of 7 days after 6 days/, (right) => ({
    claim: (id, keys, seconds, ...rest) => right.claim(id, keys, Math.min(seconds, 86_400), ...rest),
  })),
]
