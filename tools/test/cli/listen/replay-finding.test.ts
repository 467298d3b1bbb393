import { expect, it } from 'vitest'
import { replayFinding } from '../../../src/cli/listen/replay-finding.js'

it('says how to sign each attempt again, first in the language of the sender', () => {
  const { code, evidence, fix, fixes } = replayFinding('the same nonce 12 s ago', 'php')
  expect([code, evidence]).toEqual(['nonce_reused', 'Accepted before: the same nonce 12 s ago.'])
  expect(fix).toContain('Use a new nonce for every attempt.')
  expect(Object.keys(fixes)).toEqual(['php', 'node', 'python', 'go', 'ruby', 'java', 'csharp', 'shell'])
  expect(fixes.php).toContain('signedHeaders($secret, $body) in the loop')
})

it('has no line for a language without one', () => {
  expect(replayFinding('the same nonce 1 s ago', 'perl').fixes).toEqual(replayFinding('', undefined).fixes)
})
