import type { Hypothesis, RequestContext, Variants } from './hypothesis.js'

// Mistakes in the nonce that was signed.

const row = { code: 'message_nonce', fix: 'nonce_once' } as const
const withoutDashes = (nonce: string) => nonce.replaceAll('-', '')
const withoutBraces = (nonce: string) => /^\{(.+)\}$/s.exec(nonce)?.[1]

export const NONCE_HYPOTHESES: readonly Hypothesis<string, string>[] = [
  { ...row, likelihood: 'uncommon', what: 'the nonce in lowercase', apply: (nonce) => nonce.toLowerCase() },
  { ...row, likelihood: 'uncommon', what: 'the nonce in uppercase', apply: (nonce) => nonce.toUpperCase() },
  { ...row, likelihood: 'uncommon', what: 'the nonce without its dashes', apply: withoutDashes },
  { ...row, likelihood: 'uncommon', what: 'an empty nonce', apply: () => '' },
  { ...row, likelihood: 'uncommon', what: '`null` for the nonce', apply: () => 'null' },
  { ...row, likelihood: 'uncommon', what: '`undefined` for the nonce', apply: () => 'undefined' },
  { ...row, likelihood: 'uncommon', what: '`None` for the nonce', apply: () => 'None' },
  { ...row, likelihood: 'uncommon', what: 'the nonce with a line feed (LF) after it', apply: (nonce) => `${nonce}\n` },
  { ...row, likelihood: 'uncommon', what: 'the nonce between quotes', apply: (nonce) => `"${nonce}"` },
  { ...row, likelihood: 'uncommon', what: 'the nonce without the quotes or brackets around it',
    apply: (nonce) => /^(["'{<(])(.+)["'}>)]$/s.exec(nonce)?.[2] },
  { ...row, likelihood: 'rare', what: 'the nonce without the braces around it, in lowercase', apply: (nonce) => withoutBraces(nonce)?.toLowerCase() },
  { ...row, likelihood: 'uncommon', what: 'the value of the header {} for the nonce', apply: identifiers },
]

/** Returns the values of headers that may identify the request. */
function identifiers(_: string, { headers }: RequestContext): Variants<string> {
  const variants = headers
    .slice(0, 64)
    .filter(([name, value]) => /(id|uuid|nonce|token|key|request|delivery|event|trace)/.test(name) && value.length <= 512)
    .map(([name, value]) => ({ detail: name.slice(0, 64), value }))
  return { variants }
}
