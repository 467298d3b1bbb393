import { randomUUID } from 'node:crypto'
import { MemoryNonceStore, type NonceStore } from '../../../src/index.js'
import { TestClock } from '../../../test/support/request.js'
import { databaseError, type FaultyStore, turn } from './faulty-stores.js'

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
function answering(fault: string, message: RegExp, answer: (right: Right) => (...call: Call) => unknown) {
  return withClaim(fault, message, (right) => {
    const find = answer(right)
    return { claim: (...call) => (find(...call) ?? right.claim(...call)) as ReturnType<Claim> }
  })
}

type Call = Parameters<Claim>

/** A store that passes other arguments on to `claim`. */
function passing(fault: string, message: RegExp, alter: (...call: Call) => Call): FaultyStore {
  return withClaim(fault, message, (right) => ({ claim: (...call) => right.claim(...alter(...call)) }))
}

const addressOf = (webhookId: string, keys: readonly string[]) => JSON.stringify([webhookId, keys])
const NOT_CLAIMED = /^claim\(\) returns (claimed|taken), not in_progress, for /

export const FAULTY_CLAIMS: readonly FaultyStore[] = [
  withClaim('no release', /^The store has claim\(\), but no release\(\)\./, () => ({ release: undefined as never })),
  answering('returns a boolean', /^claim\(\) returned a boolean\./, () => () => true),
  passing('one owner for all', /returns claimed, not in_progress|got the same key/, (id, keys, seconds, _, isDone) => {
    return [id, keys, seconds, 'everybody', isDone]
  }),
  answering('throws for a taken key', /^claim\(\) threw\. Return the state of the keys/, (right) => (...call) => {
    return right.claim(...call) === 'taken' ? databaseError() : undefined
  }),
  answering('says taken for a live claim', NOT_CLAIMED, (right) => (...call) => {
    return call[4] || right.claim(...call) !== 'in_progress' ? undefined : 'taken'
  }),
  passing('a new owner for each call', /in_progress, not claimed/, (id, keys, seconds, owner, isDone) => {
    return [id, keys, seconds, `${owner} ${randomUUID()}`, isDone]
  }),
  answering(
    'does not extend its own claim',
    /owner 1 claims a, owner 2 claims a\.|owner 2 claims b\.|not taken/,
    () => {
      const claimed = new Set<string>()
      return (id, keys, _, owner, isDone) => {
        const address = addressOf(id, [...keys, owner])
        if (isDone) return void claimed.delete(address)
        return claimed.has(address) ? 'claimed' : void claimed.add(address)
      }
    },
  ),
  withClaim(
    'gets a reservation of the same owner',
    /not taken, .*owner 1 claims [abc]( through another instance)?\./,
    (right) => ({
      claim(...call) {
        const state = right.claim(...call)
        if (state !== 'taken') return state
        right.release(call[0], call[1], call[3])
        return right.claim(...call)
      },
    }),
  ),
  withClaim(
    'extends a reservation',
    /returns taken, .*: owner 1 reserves b .*2\.5 s pass, owner 2 claims b/,
    (right) => ({
      claim(...call) {
        const state = right.claim(...call)
        if (state === 'taken') right.claim(call[0], call[1], 600, call[3], true)
        return state
      },
    }),
  ),
  passing(
    'never ends',
    /in_progress, not claimed, .* 2\.5 s pass, owner 2 claims a\./,
    (id, keys, seconds, ...rest) => {
      return [id, keys, rest[1] ? seconds : 1e6, ...rest]
    },
  ),
  passing('ends early', /returns claimed, .* 2\.5 s pass, owner 2 claims c\./, (id, keys, seconds, ...rest) => {
    return [id, keys, rest[1] ? seconds : seconds / 4, ...rest]
  }),
  answering('isDone does nothing', /records.*, owner 2 claims|owner 2 records a\./, () => (...call) => {
    return call[4] ? 'claimed' : undefined
  }),
  passing(
    'isDone keeps the end of the claim',
    /not taken, .* s pass, owner 2 claims a\./,
    (id, keys, seconds, ...rest) => {
      return [id, keys, rest[1] ? 1 : seconds, ...rest]
    },
  ),
  answering('isDone needs a live claim', /not claimed, .* 2\.5 s pass, owner 1 records a\./, (right) => {
    return (id, keys, _, __, isDone) => {
      if (!isDone || right.claim(id, keys, 600, 'another owner') !== 'claimed') return undefined
      right.release(id, keys, 'another owner')
      return 'in_progress'
    }
  }),
  answering('isDone works once', /not claimed, .* owner 1 records a, owner 1 records a\./, () => {
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
  withClaim('keeps the first of two keys', /none\.$/, (right) => ({
    claim(id, keys, seconds, owner, isDone) {
      if (isDone) return right.claim(id, keys, seconds, owner, true)
      for (const key of keys) {
        const state = right.claim(id, [key], seconds, owner)
        if (state !== 'claimed') return state
      }
      return 'claimed'
    },
  })),
  passing('records the first of two keys', /not taken, .* owner 2 claims b and A\./, (id, keys, ...rest) => {
    return [id, rest[2] ? keys.slice(0, 1) : keys, ...rest]
  }),
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
  withClaim('is free for reserve()', /^reserve\(\) returns true, .*: owner 1 claims a.* reserves a\./, (right) => {
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
  withClaim('anybody releases it', /owner 2 releases a and A, owner 3 claims b and A\./, (right) => {
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
  withClaim('release does not free it', /not claimed, .* owner 1 releases .*owner 2 claims /, (right) => {
    const claimed = new Set<string>()
    return {
      claim(id, keys, seconds, owner, isDone) {
        claimed.add(owner)
        return right.claim(id, keys, seconds, owner, isDone)
      },
      release: (id, keys, owner) => (claimed.has(owner) ? undefined : right.release(id, keys, owner)),
    }
  }),
  passing('keeps nothing longer than a day', /: .*518400 s pass, owner 2 claims a\./, (id, keys, seconds, ...rest) => {
    return [id, keys, Math.min(seconds, 86_400), ...rest]
  }),
]
