// The diagnosis uses these rules in a browser too. This file imports nothing, because a browser has no modules of Node.

/** The prefix of a secret, a public key or a private key. Without a prefix, the text is the base64 of a secret. */
export type SecretPrefix = 'whsec_' | 'whpk_' | 'whsk_' | ''

/** Returns the secrets in a text. While a secret is rotated, Supabase prints `v1,whsec_A|v1,whsec_B`. */
export function splitSecret(text: string): string[] {
  return text.includes('|') && /wh(?:sec|pk|sk)_/.test(text) ? text.split('|') : [text]
}

const PREFIX = /^(?:v1,(?=whsec_)|v1a,(?=wh[ps]k_))?(whsec_|whpk_|whsk_)/

/** Returns the prefix of a secret and the text after it. Supabase also prints the version of the signature: `v1,whsec_…`. */
export function parseSecret(text: string): { readonly prefix: SecretPrefix; readonly base64: string } {
  const found = PREFIX.exec(text)
  if (found === null) return { prefix: '', base64: text }
  return { prefix: found[1] as SecretPrefix, base64: text.slice(found[0].length) }
}
