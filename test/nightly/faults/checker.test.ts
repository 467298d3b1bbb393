import { describe, expect, it } from 'vitest'
import { type Call, isLinearizable } from '../../support/stores/linearizable.js'

// The checker that linearizable.test.ts applies to real stores.

/** Reads `ab 0-2 reserved`: keys `a` and `b`, from 0 to 2. */
function read(text: string): Call {
  const [keys = '', times = '', outcome] = text.split(' ')
  const [startedAt = Number.NaN, endedAt = Number.POSITIVE_INFINITY] = times.split('-').map(Number)
  return { keys: [...keys], startedAt, endedAt, outcome: outcome as Call['outcome'] }
}

describe('linearizable', () => {
  it.each<[why: string, history: string[]]>([
    ['nothing happened', []],
    ['one of two copies is reserved', ['a 0-1 reserved', 'a 2-3 taken']],
    ['of two concurrent calls, the one that ends later is first', ['a 0-2 taken', 'a 1-3 reserved']],
    ['of two calls that touch at an instant, either is first', ['a 0-1 taken', 'a 1-2 reserved']],
    ['two splits: the other nonce stays free', ['as 0-1 reserved', 'bs 2-3 taken', 'b 4-5 reserved']],
    ['each key of a pair is taken', ['as 0-1 reserved', 'a 2-3 taken', 's 2-3 taken']],
    ['a failed call took its key', ['a 0-1 failure', 'a 2-3 taken']],
    ['a failed call did not take its key', ['a 0-1 failure', 'a 2-3 reserved']],
    ['a failed call took its key much later', ['a 0-1 failure', 'as 2-3 reserved']],
    ['a failed call took its keys between two later calls', ['as 0-1 failure', 'a 2-3 failure', 's 4-5 taken']],
    ['a killed process took its key', ['a 0 failure', 'a 2-3 taken']],
    [
      'the failed call that explains a later one is the second of three',
      ['ab 0-1 failure', 'bc 0-1 failure', 'cd 0-1 failure', 'a 2-3 reserved', 'b 4-5 taken', 'd 6-7 reserved'],
    ],
    [
      'four concurrent calls have one order',
      ['ab 0-9 reserved', 'bc 0-9 taken', 'c 0-9 reserved', 'cd 0-9 taken', 'd 10-11 reserved'],
    ],
  ])('%s', (_, history) => {
    expect(isLinearizable(history.map(read))).toBe(true)
  })
})

describe('not linearizable', () => {
  it.each<[why: string, history: string[]]>([
    ['a key is reserved twice', ['a 0-1 reserved', 'a 2-3 reserved']],
    ['a key is reserved twice at the same time', ['a 0-9 reserved', 'a 0-9 reserved']],
    ['a key is reserved in two pairs', ['as 0-9 reserved', 'bs 0-9 reserved']],
    ['nobody took the key', ['a 0-1 taken']],
    ['the key was taken only later', ['a 0-1 taken', 'a 2-3 reserved']],
    ['a call failed only later', ['a 0-1 taken', 'a 2-3 failure']],
    ['a call that was refused reserved one of its keys', ['as 0-1 reserved', 'bs 2-3 taken', 'b 4-5 taken']],
    ['a call that failed reserved one of its keys', ['as 0-1 reserved', 'bs 2-3 failure', 'b 4-5 taken']],
    ['a failed call took only one of its keys', ['as 0-1 failure', 'a 2-3 reserved', 's 4-5 taken']],
    ['one failed call cannot free a key', ['a 0-1 failure', 'a 2-3 taken', 'a 4-5 reserved']],
    ['two calls of which each waits for the other', ['ab 0-9 taken', 'ab 0-9 taken']],
  ])('%s', (_, history) => {
    expect(isLinearizable(history.map(read))).toBe(false)
  })
})
