import { utf8 } from '../../bytes.js'
import type { Header } from '../../capture/headers.js'
import { KEY, NUMBER, STRING, textOf, written } from '../json/parse.js'
import {
  type Bytes,
  type Hypothesis,
  hypothesesOf,
  type RequestContext,
  several,
  type Variant,
  type Variants,
} from './hypothesis.js'
import { parseBody } from './json.js'
import { placeholdersFor } from './placeholders.js'
import { changesOf, encodingsOf } from './text-changes.js'

// This file lists the mistakes in the nonce that was signed.

const ONCE = { code: 'message_nonce', fix: 'values_once' } as const
const AS_TEXT = { code: 'message_nonce', fix: 'nonce_as_text' } as const
const other = hypothesesOf<string, Bytes>(ONCE)
/** Match a prefix such as `evt_`, and one or two of them. */
const PREFIX = /^[A-Za-z][A-Za-z0-9]{0,15}[_:.-](?=.)/
const PREFIXES = /^(?:[A-Za-z][A-Za-z0-9]{0,15}[_:.-]){1,2}(?=.)/
const unfilled = hypothesesOf<string, Bytes>({ code: 'message_nonce', fix: 'fill_in_value' })

export const NONCE_HYPOTHESES: readonly Hypothesis<string, Bytes>[] = [
  other('uncommon', 'the nonce without its hyphens', (nonce) => nonce.replaceAll('-', '')),
  other('uncommon', 'the nonce with the hyphens of a UUID', (nonce) =>
    nonce.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
  ),
  other('rare', 'the nonce without the braces around it, in lowercase', (nonce) =>
    /^\{(.+)\}$/s.exec(nonce)?.[1]?.toLowerCase(),
  ),
  other('uncommon', 'the nonce without its prefix', (nonce) =>
    several(new Set([PREFIX, PREFIXES].flatMap((prefix) => (prefix.test(nonce) ? nonce.replace(prefix, '') : [])))),
  ),
  other('rare', 'the nonce prefixed with `<detail>`', (nonce) => ({
    variants: ['msg_', 'evt_', 'wh_', 'whd_'].map((detail) => ({ detail, value: detail + nonce })),
  })),
  other('rare', 'the nonce with another attempt number at its end', (nonce) => {
    const [, base = '', separator = ''] = /^(.*)([._:#-])\d{1,3}$/s.exec(nonce) ?? []
    return several(base === '' ? [] : [base, ...['0', '1', '2'].map((attempt) => base + separator + attempt)])
  }),
  other('uncommon', 'the value of `<detail>` in the body as the nonce', (_, { body }) => ({ variants: idsIn(body) })),
  unfilled('many', 'the placeholder `<detail>` for the nonce', () =>
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
  ...encodingsOf('the nonce', { encoded: ONCE, escaped: ONCE, printed: ONCE, decoded: AS_TEXT }, utf8),
]

const MAX_IDS = 16
const MAX_TOKENS = 2 ** 12

/** Returns the IDs in a JSON body, because the sender may have signed one of them as the nonce. */
function* idsIn(body: Uint8Array): Iterable<Variant<string>> {
  const json = parseBody(body)
  let count = 0
  for (let token = 1; json !== undefined && token < Math.min(json.kinds.length, MAX_TOKENS); token++) {
    const isId =
      json.kinds[token - 1] === KEY && /(?:^|[_-])(?:id|uuid|guid|nonce|key)$|I[dD]$/.test(textOf(json, token - 1))
    const kind = json.kinds[token]
    if (!isId || (kind !== STRING && kind !== NUMBER) || ++count > MAX_IDS) continue
    yield {
      detail: textOf(json, token - 1).slice(0, 64),
      value: kind === STRING ? textOf(json, token) : written(json, token),
    }
  }
}

/** Returns the values of headers such as `X-Request-Id`, because the sender may have signed one of them as the nonce. */
function identifiers(_: string, { headers }: RequestContext): Variants<string> {
  const isIdentifier = ([name, value]: Header) =>
    /(id|uuid|nonce|token|key|request|delivery|event|trace)/.test(name) && value.length <= 512
  const found = headers.slice(0, 64).filter(isIdentifier)
  return { variants: found.map(([name, value]) => ({ detail: name.slice(0, 64), value })) }
}
