import { utf8 } from '../../bytes.js'
import type { Header } from '../../capture/headers.js'
import { type Bytes, type Hypothesis, hypothesesOf, type RequestContext, type Variants } from './hypothesis.js'
import { placeholdersFor } from './placeholders.js'
import { changesOf, encodingsOf } from './text-changes.js'

// This file lists the mistakes in the nonce that was signed.

const ONCE = { code: 'message_nonce', fix: 'nonce_once' } as const
const AS_TEXT = { code: 'message_nonce', fix: 'nonce_as_text' } as const
const other = hypothesesOf<string, Bytes>(ONCE)
const unfilled = hypothesesOf<string, Bytes>({ code: 'message_nonce', fix: 'fill_in_value' })

export const NONCE_HYPOTHESES: readonly Hypothesis<string, Bytes>[] = [
  other('uncommon', 'the nonce without its dashes', (nonce) => nonce.replaceAll('-', '')),
  other('uncommon', 'the nonce with the dashes of a UUID', (nonce) =>
    nonce.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
  ),
  other('rare', 'the nonce without the braces around it, in lowercase', (nonce) =>
    /^\{(.+)\}$/s.exec(nonce)?.[1]?.toLowerCase(),
  ),
  unfilled('last', 'the placeholder `<detail>` for the nonce', () =>
    placeholdersFor('nonce', 'NONCE', '$guid', '$randomUUID', 'uuid', 'UUID', 'guid', 'requestId'),
  ),
  other('uncommon', 'the value of the header <detail> as the nonce', identifiers),
  ...changesOf<string>(
    'the nonce',
    {
      ...{ 'space added': ONCE, 'space removed': ONCE, 'quotes added': ONCE, 'quotes removed': ONCE },
      ...{ case: ONCE, decoded: AS_TEXT, replaced: ONCE },
    },
    (change) => change,
  ),
  ...encodingsOf('the nonce', { encoded: ONCE, escaped: ONCE, decoded: AS_TEXT }, utf8),
]

/** Returns the values of headers such as `X-Request-Id`, because the sender may have signed one of them as the nonce. */
function identifiers(_: string, { headers }: RequestContext): Variants<string> {
  const isIdentifier = ([name, value]: Header) =>
    /(id|uuid|nonce|token|key|request|delivery|event|trace)/.test(name) && value.length <= 512
  const found = headers.slice(0, 64).filter(isIdentifier)
  return { variants: found.map(([name, value]) => ({ detail: name.slice(0, 64), value })) }
}
