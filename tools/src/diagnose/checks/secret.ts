import { describeOddSpace } from '../../text.js'
import type { Draft } from '../draft.js'
import { describeUnfilled } from '../hypotheses/placeholders.js'

const PLACEHOLDER = /^(undefined|null|none|nil|nan|true|false|secret|change-?_?me|\[object \w+\])$/i

/** Matches a stored hash of a password by bcrypt, Argon2, scrypt, crypt, Django, Werkzeug or LDAP. */
const PASSWORD_HASH =
  /^\$(2[abxy]?|argon2\w*|scrypt|s0|[156y]|pbkdf2[\w-]*)\$|^(pbkdf2|scrypt|bcrypt|argon2)[\w]*[$:]|^\{S?SHA/

/** Matches a secret as a page shows it, with `****`, `…` or `xxxxxxxx` in place of most characters. */
const MASKED = /[*\u2022]{4}|\u2026$|\.{3}$|^x{8,}$/i

/** Matches the name of a variable, such as `WEBHOOK_SECRET` or `process.env.SECRET`. */
const VARIABLE = /^(process\.env|os\.environ|\$\(|[A-Z]+(_[A-Z]+)+$)/

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
    if (PASSWORD_HASH.test(secret)) {
      const message = `${name} is a password hash, not the secret itself.`
      return [{ code: 'secret_hashed', message, fix: 'store_secret', side }]
    }
    if (MASKED.test(secret)) {
      const message = `${name} is a masked copy from a page or a log, not the secret itself.`
      return [{ code: 'secret_placeholder', message, fix: 'read_secret', side }]
    }
    if (!PLACEHOLDER.test(secret) && !VARIABLE.test(secret) && describeUnfilled(secret) === undefined) return []
    const message = `${name} looks like a placeholder or the name of a variable.`
    return [{ code: 'secret_placeholder', message, fix: 'read_secret', side }]
  })
}
