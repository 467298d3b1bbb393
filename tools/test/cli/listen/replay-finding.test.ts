import { expect, it } from 'vitest'
import { replayFinding } from '../../../src/cli/listen/replay-finding.js'
import { schemeOf } from '../../../src/schemes.js'

it('says how to sign each attempt again, first in the language of the sender', () => {
  const { code, side, message, evidence, fix, fixes } = replayFinding('the same nonce 12 s ago', 'php')
  expect([code, side, evidence]).toEqual(['nonce_reused', 'unknown', 'Accepted before: the same nonce 12 s ago.'])
  expect(message).toBe('X-Nonce or the signed message was already accepted less than 600 s ago.')
  expect(fix).toContain('Use a new nonce for every attempt.')
  expect(Object.keys(fixes)).toEqual(['php', 'node', 'python', 'go', 'ruby', 'java', 'csharp', 'shell'])
  expect(fixes.php).toContain('signedHeaders($secret, $body) in the loop')
})

it('names the headers of Standard Webhooks, where a retry keeps its ID', () => {
  const { message, fix } = replayFinding('', undefined, schemeOf([['webhook-id', 'msg_1']]))
  expect(message).toMatch(/^webhook-id and webhook-timestamp were used together before: the same attempt /)
  expect(fix).toMatch(/^On the sender's side: Sign each retry again, with a new timestamp, and switch off/)
})
