import { type Draft, describeInvisible, describeSpaceAround } from '../text.js'

const PLACEHOLDER = /^(undefined|null|none|nil|nan|true|false|secret|change-?_?me|\[object \w+\])$/i

/** Names of variables, and placeholders for their values. */
const VARIABLE = /^(process\.env|os\.environ|\$\w|\$\{|\$\(|%\w+%$|\{\{|<.*>$)|^[A-Z]+(_[A-Z]+)+$/

/** Reports what looks wrong in the receiver's secrets. Never shows them. */
export function suspectSecrets(secrets: readonly string[]): Draft[] {
  return secrets.flatMap((secret, index): Draft[] => {
    const params = (what: string) => ({ name: secrets.length === 1 ? 'The secret' : `secret[${index}]`, what })
    const around = describeSpaceAround(secret)
    if (around !== '') {
      return [
        {
          code: 'secret_whitespace',
          kind: 'secretOdd',
          params: params(`has white space around it: ${around}`),
          fix: 'trim_own_secret',
        },
      ]
    }
    const invisible = describeInvisible(secret)
    if (invisible !== '') {
      return [
        {
          code: 'secret_whitespace',
          kind: 'secretOdd',
          params: params(`contains ${invisible}`),
          fix: 'trim_own_secret',
        },
      ]
    }
    if (/^(["'`]).*\1$/s.test(secret)) {
      return [
        { code: 'secret_quotes', kind: 'secretOdd', params: params('is between quotes'), fix: 'unquote_own_secret' },
      ]
    }
    if (!PLACEHOLDER.test(secret) && !VARIABLE.test(secret)) return []
    const what = 'looks like a placeholder or the name of a variable'
    return [{ code: 'secret_placeholder', kind: 'secretOdd', params: params(what), fix: 'read_own_secret' }]
  })
}
