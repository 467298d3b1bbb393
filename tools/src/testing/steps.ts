import { kindOf } from '../../../src/arguments.js'
import { type ClaimState, isClaimState, type NonceStore } from '../../../src/stores/nonce-store.js'
import {
  answerOf,
  type Cases,
  expect,
  newMessage,
  reserve,
  reserveKeys,
  type Setting,
  TAKEN,
  unique,
  wait,
} from './calls.js'

// The cases that are lists of calls. If a result is wrong, the error names this call, and the calls before it for the same keys.

/** What an owner does. `elsewhere` is another webhook. A `late` call goes to another instance of the store, which does not know the owner. */
type Act = 'reserves' | 'reserves elsewhere' | 'releases' | 'claims' | 'claims elsewhere' | 'claims late' | 'records'

/**
 * A call and its right result, or a number of milliseconds to wait. In `keys`, each lowercase letter is a nonce, and each uppercase letter is
 * a signature. Owner 0 is no owner.
 */
type Step = number | readonly [owner: number, act: Act, keys: string, right?: boolean | ClaimState, seconds?: number]

/** The advice on a wrong result, and the steps. A case ends before a call of a method that the store does not have. */
export type Script = readonly [fix: string, ...steps: Step[]]

export function casesOf(scripts: { readonly [name: string]: Script }): Cases {
  return Object.fromEntries(
    Object.entries(scripts).map(([name, script]) => [name, (store, setting) => follow(store, setting, script)]),
  )
}

async function follow(store: NonceStore, setting: Setting, [fix, ...steps]: Script): Promise<void> {
  const { webhookId, keysOf } = newMessage()
  const [elsewhere, suffix] = [unique(), unique()]
  const past: (readonly [keys: string, text: string])[] = []
  for (const step of steps) {
    if (typeof step === 'number') {
      await wait(setting, step)
      past.push(['', `${step / 1000} s pass`])
      continue
    }
    const [number, act, letters, right, seconds = 600] = step
    const method = methodOf(act, letters)
    if (store[method] === undefined) return
    const to = act.endsWith('late') ? await setting.createStore() : store
    const webhook = act.endsWith('elsewhere') ? elsewhere : webhookId
    const owner = number === 0 ? undefined : `owner ${number} ${suffix}`
    const result = await perform(to, method, webhook, keysOf([...letters]), seconds, owner, act === 'records')
    past.push([letters, describe(step)])
    const same = past.filter(([keys]) => keys === '' || [...keys].some((letter) => letters.includes(letter)))
    const calls = same.map(([, text]) => text).join(', ')
    expect(
      result === right,
      `${method}() returns ${result}, not ${right}, for the last of these calls: ${calls}. ${fix}`,
    )
  }
}

const PLACES: { readonly [word: string]: string } = {
  elsewhere: ' on another webhook',
  late: ' through another instance',
}

function describe([number, act, letters, , seconds = 600]: Exclude<Step, number>): string {
  const [verb, place = ''] = act.split(' ')
  const who = number === 0 ? 'somebody' : `owner ${number}`
  const time = seconds === 600 ? '' : ` for ${seconds} s`
  return `${who} ${verb} ${[...letters].join(' and ')}${PLACES[place] ?? ''}${time}`
}

type Method = 'reserve' | 'reserveAll' | 'release' | 'claim'

function methodOf(act: Act, letters: string): Method {
  if (act === 'releases') return 'release'
  if (!act.startsWith('reserves')) return 'claim'
  return letters.length === 1 ? 'reserve' : 'reserveAll'
}

async function perform(
  store: NonceStore,
  method: Method,
  webhookId: string,
  keys: readonly string[],
  seconds: number,
  owner: string | undefined,
  isDone: boolean,
): Promise<boolean | ClaimState | undefined> {
  if (method === 'reserve') return reserve(store, [webhookId, String(keys[0])], seconds, TAKEN, owner)
  if (method === 'reserveAll') return reserveKeys(store, webhookId, keys, seconds, owner)
  if (method === 'claim') return claim(store, webhookId, keys, String(owner), seconds, isDone)
  return release(store, webhookId, keys, String(owner))
}

export async function release(
  store: NonceStore,
  webhookId: string,
  keys: readonly string[],
  owner: string,
): Promise<undefined> {
  const threw = '. Return nothing, even if the keys are free or have another owner.'
  await answerOf('release', () => store.release?.(webhookId, keys, owner), threw)
}

/** Calls `claim` and resolves to the state that the store returned. */
export async function claim(
  store: NonceStore,
  webhookId: string,
  keys: readonly string[],
  owner: string,
  seconds = 600,
  isDone = false,
): Promise<ClaimState> {
  const call = () => store.claim?.(webhookId, keys, seconds, owner, isDone)
  const state = await answerOf('claim', call, '. Return the state of the keys, and throw only if the store failed.')
  expect(isClaimState(state), `claim() returned ${kindOf(state)}. Return 'claimed', 'in_progress' or 'taken'.`)
  return state
}
