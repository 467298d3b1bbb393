// The diagnosis uses these rules in a browser too. This file imports nothing, because a browser has no modules of Node.

/** The kinds of secrets, by their prefix. Without a prefix, the text is the base64 of an HMAC key, as with `whsec_`. */
export type SecretPrefix = 'whsec_' | ''

/** Returns the secrets in a text. While a secret is rotated, Supabase prints `v1,whsec_A|v1,whsec_B`. */
export function splitSecret(text: string): string[] {
  return /whsec_/.test(text) ? text.split('|') : [text]
}

/** Returns the prefix of a secret and the text after it. Supabase also prints the version of the signature: `v1,whsec_…`. */
export function parseSecret(text: string): readonly [prefix: SecretPrefix, base64: string] {
  const [, prefix = '', base64 = ''] = /^(?:v1,(?=whsec_))?(whsec_|)(.*)$/s.exec(text) ?? []
  return [prefix as SecretPrefix, base64]
}
