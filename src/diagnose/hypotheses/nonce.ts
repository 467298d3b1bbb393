import type { Context, Hypothesis, Variants } from './hypothesis.js'

// Mistakes in the nonce that was signed.

const row = { code: 'message_nonce', fix: 'nonce_once' } as const
const HEX_UUID = /^[0-9a-f]{32}$/i
const withoutDashes = (nonce: string) => nonce.replaceAll('-', '')
const withoutBraces = (nonce: string) => /^\{(.+)\}$/s.exec(nonce)?.[1]
const withDashes = (nonce: string) =>
  HEX_UUID.test(nonce) ? nonce.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-') : undefined

export const NONCE_HYPOTHESES: readonly Hypothesis<string, string>[] = [
  { id: 'nonce_lowercase', ...row, likelihood: 'uncommon', what: 'the nonce in lowercase', apply: (nonce) => nonce.toLowerCase(), example: ['A-b', 'a-b'] },
  { id: 'nonce_uppercase', ...row, likelihood: 'uncommon', what: 'the nonce in uppercase', apply: (nonce) => nonce.toUpperCase(), example: ['A-b', 'A-B'] },
  { id: 'nonce_without_dashes', ...row, likelihood: 'uncommon', what: 'the nonce without its dashes', apply: withoutDashes, example: ['a-b-c', 'abc'] },
  { id: 'nonce_with_dashes', ...row, likelihood: 'uncommon', what: 'the nonce with the dashes of a UUID', apply: withDashes,
    example: ['6f9619ff8b864d01b42d00cf4fc964ff', '6f9619ff-8b86-4d01-b42d-00cf4fc964ff'] },
  { id: 'nonce_empty', ...row, likelihood: 'uncommon', what: 'an empty nonce', apply: () => '', example: ['abc', ''] },
  { id: 'nonce_null', ...row, likelihood: 'uncommon', what: '`null` for the nonce', apply: () => 'null', example: ['abc', 'null'] },
  { id: 'nonce_undefined', ...row, likelihood: 'uncommon', what: '`undefined` for the nonce', apply: () => 'undefined', example: ['abc', 'undefined'] },
  { id: 'nonce_none', ...row, likelihood: 'uncommon', what: '`None` for the nonce', apply: () => 'None', example: ['abc', 'None'] },
  { id: 'nonce_lf_after', ...row, likelihood: 'uncommon', what: 'the nonce with a line feed (LF) after it', apply: (nonce) => `${nonce}\n`, example: ['abc', 'abc\n'] },
  { id: 'nonce_in_quotes', ...row, likelihood: 'uncommon', what: 'the nonce between quotes', apply: (nonce) => `"${nonce}"`, example: ['abc', '"abc"'] },
  { id: 'nonce_in_braces', ...row, likelihood: 'uncommon', what: 'the nonce between braces', apply: (nonce) => `{${nonce}}`, example: ['abc', '{abc}'] },
  { id: 'nonce_without_brackets', ...row, likelihood: 'uncommon', what: 'the nonce without the quotes or brackets around it',
    apply: (nonce) => /^(["'{<(])(.+)["'}>)]$/s.exec(nonce)?.[2], example: ['{aB}', 'aB'] },
  { id: 'nonce_without_braces_lowercase', ...row, likelihood: 'rare', what: 'the nonce without the braces around it, in lowercase',
    apply: (nonce) => withoutBraces(nonce)?.toLowerCase(), example: ['{aB}', 'ab'] },
  { id: 'nonce_other_header', ...row, likelihood: 'uncommon', what: 'the value of the header {} for the nonce', apply: identifiers, example: ['abc', 'the-request-id'] },
]

/** What other headers carry that identifies a request. */
function identifiers(_: string, { headers }: Context): Variants<string> {
  const variants = headers
    .slice(0, 64)
    .filter(([name, value]) => /(id|uuid|nonce|token|key|request|delivery|event|trace)/.test(name) && value.length <= 512)
    .map(([name, value]) => ({ detail: name.slice(0, 64), value }))
  return { variants }
}
