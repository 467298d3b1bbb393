import { spell } from '../../../../src/rules/formats.js'
import { type Header, passedProxy } from '../../capture/headers.js'
import { joinWords, listNames, quote } from '../../text.js'
import type { Draft } from '../draft.js'
import type { Mask } from '../mask-secrets.js'
import type { IntendedHeaders, ReceivedHeaders } from '../misnamed-headers.js'

const UNDERSCORES =
  'The request passed a proxy. nginx drops headers with underscores in their names, such as X_Timestamp.'

/** Matches the names of headers that the code of the sender has probably set. HTTP clients and proxies do not add them. */
const OWN = /^x-(?!forwarded|real)|sig|hmac|time|nonce|hook|auth/

export function checkHeaders(
  received: ReceivedHeaders,
  headers: readonly Header[],
  intended: IntendedHeaders,
  signed: IntendedHeaders | undefined,
  mask: Mask,
): Draft[] {
  const fields = ['timestamp', 'nonce', 'signature'] as const
  const all = fields.map((field) => ({ ...received[field], intended: intended[field], signed: signed?.[field] }))
  const absent = all.filter(({ value }) => value === undefined)
  const isRenamed = (header: (typeof all)[number]) => header.renamed !== undefined && header.intended !== undefined
  const renamed = absent.filter(isRenamed)
  const missing = absent.filter((header) => !isRenamed(header)).map(({ name }) => name)
  // `:method` and `:path` are left out, because they come from the request line.
  const names = headers.map(([name]) => name).filter((name) => !name.startsWith(':'))
  // A long list is shortened at its end, so the names that the sender has probably set come first.
  const own = names.filter((name) => OWN.test(name))
  const list = [['Headers', listNames([...own, ...names].map(mask))] as const]
  const drafts: Draft[] = []
  if (renamed.length > 0) {
    const message = `${renamed.map(({ name, renamed }) => `${spell(name)} is missing, but the request has ${quote(mask(String(renamed?.[0])))}`).join('; ')}.`
    drafts.push({ code: 'header_name', message, fix: 'rename_headers', evidence: list })
  }
  if (missing.length > 0) {
    const message = `${joinWords(missing.map(spell), 'and')} ${missing.length === 1 ? 'is' : 'are'} missing.`
    const evidence = passedProxy(headers) ? [...list, UNDERSCORES] : list
    drafts.push({ code: 'header_missing', message, fix: 'send_headers', evidence })
  }
  for (const { name, value, repeated, signed: right } of all) {
    if (repeated === undefined) continue
    const areEqual = new Set(repeated).size === 1
    const times = repeated.length === 2 ? 'twice' : `${repeated.length} times`
    drafts.push({
      code: 'header_repeated',
      message: `${spell(name)} arrived ${times}, with ${areEqual ? 'the same value' : 'different values'}.`,
      fix: 'send_header_once',
      evidence: [
        [spell(name), quote(mask(String(value)))],
        ...(right === undefined || areEqual ? [] : [`The signature is valid with ${quote(mask(right))}`]),
      ],
    })
  }
  if (intended.isSwapped) {
    drafts.push({
      code: 'header_swapped',
      message: 'X-Timestamp and X-Nonce are swapped.',
      fix: 'unswap_headers',
      evidence: [
        ['X-Timestamp', quote(mask(String(intended.nonce)))],
        ['X-Nonce', quote(mask(String(intended.timestamp)))],
        ...(signed?.isSwapped ? ['Confirmed: with each value in its place, the signature is valid.'] : []),
      ],
    })
  }
  return drafts
}
