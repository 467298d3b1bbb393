import { expect, it } from 'vitest'
import { ENCODINGS } from '../../src/diagnose/encodings.js'
import { BODY_CHANGES, BODY_ENDINGS, BODY_SOURCES } from '../../src/diagnose/hypotheses/body.js'
import { wrongDigests } from '../../src/diagnose/hypotheses/digest.js'
import { LAYOUT_HYPOTHESES } from '../../src/diagnose/hypotheses/layout.js'
import { NONCE_HYPOTHESES } from '../../src/diagnose/hypotheses/nonce.js'
import { SECRET_HYPOTHESES } from '../../src/diagnose/hypotheses/secret.js'
import { TEXT_CHANGES } from '../../src/diagnose/hypotheses/text-changes.js'
import { TIMESTAMP_HYPOTHESES } from '../../src/diagnose/hypotheses/timestamp.js'
import { diagnose } from '../../src/diagnose/index.js'
import { memoize } from './brief-search.js'
import { CAPTURED, type Captured, expectMistake, named, requestOf } from './captured.js'

// These tests search in all hypotheses, which takes long. captured.test.ts searches in a few of them.

const diagnoseOnce = memoize((request: Captured) =>
  diagnose(requestOf(request), request.secret, { now: () => request.now }),
)

/** No captured request needs these hypotheses, because another one comes first. Each of them has an example in other tests. */
const WITH_EXAMPLES = new Set([
  'the value after `NAME=` in the secret',
  'the secret without its last character',
  'the timestamp in ISO 8601 with milliseconds',
  'an empty timestamp',
  'the timestamp without its leading zeros',
  'the message `timestamp:path:body`',
  'the message `timestamp:url:body`',
  'the body in UTF-8, which arrived encoded twice (é as Ã©)',
  'the body with CRLF for each LF',
  'the body without its newlines',
  'the body without the white space around it',
  'the text `null` in place of the body',
  'the text `{}` in place of the body',
  'the body without the newline at its end',
  'the body without its backslashes',
  'the body with a CRLF after it',
])

it.each(named(CAPTURED))('among all hypotheses, the first finding names the mistake: %s', async (_, request) => {
  expectMistake(request, await diagnoseOnce(request))
})

it('each hypothesis explains one of these requests, or has an example', async () => {
  const all = await Promise.all(CAPTURED.map(diagnoseOnce))
  const messages = all.flatMap(({ findings }) => findings.map(({ message }) => message))
  const isSaid = (text: string) =>
    // In Standard Webhooks, a nonce is an ID.
    [text, text.replace('nonce', 'ID')].some((words) =>
      messages.some((message) => words.split('<detail>').every((part) => message.includes(part))),
    )
  const rows: readonly { readonly what: string }[] = [
    ...[...SECRET_HYPOTHESES, ...NONCE_HYPOTHESES, ...TIMESTAMP_HYPOTHESES, ...LAYOUT_HYPOTHESES],
    ...[...BODY_SOURCES, ...BODY_CHANGES, ...BODY_ENDINGS, ...wrongDigests('sha256', 'SHA-256')],
  ]
  const isOfTable = (name: string) =>
    ENCODINGS.some((one) => name.endsWith(` in ${one.name}`) || name.endsWith(` decoded from ${one.name}`)) ||
    TEXT_CHANGES.some(({ what }) =>
      ['secret', 'nonce', 'timestamp', 'body'].some((value) => name === what.replace('<value>', `the ${value}`)),
    )
  const names = rows.map(({ what }) => what).filter((name) => !isOfTable(name))
  expect(names.filter((name) => !isSaid(name) && !WITH_EXAMPLES.has(name))).toEqual([])
}, 60_000)
