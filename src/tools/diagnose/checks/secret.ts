import { describeOddSpace } from '../../text.js'
import type { Draft } from '../draft.js'

const PLACEHOLDER = /^(undefined|null|none|nil|nan|true|false|secret|change-?_?me|\[object \w+\])$/i

/** Names of variables, and placeholders for their values. */
const VARIABLE = /^(process\.env|os\.environ|\$\w|\$\{|\$\(|%\w+%$|\{\{|<.*>$)|^[A-Z]+(_[A-Z]+)+$/

/** Reports what looks wrong in the receiver's secrets. Never shows them. */
export function suspectSecrets(secrets: readonly string[]): Draft[] {
  return secrets.flatMap((secret, index): Draft[] => {
    const name = secrets.length === 1 ? 'The secret' : `secret[${index}]`
    const side = 'receiver'
    const space = describeOddSpace(secret)
    if (space !== '') {
      return [{ code: 'secret_whitespace', message: `${name} contains ${space}.`, fix: 'trim_secret', side }]
    }
    if (/^(["'`]).*\1$/s.test(secret)) {
      return [{ code: 'secret_quotes', message: `${name} is between quotes.`, fix: 'unquote_secret', side }]
    }
    if (!PLACEHOLDER.test(secret) && !VARIABLE.test(secret)) return []
    const message = `${name} looks like a placeholder or the name of a variable.`
    return [{ code: 'secret_placeholder', message, fix: 'read_secret', side }]
  })
}
