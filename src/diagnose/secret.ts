import { Buffer } from 'node:buffer'
import { createHash } from 'node:crypto'
import type { Choice } from './choice.js'
import type { FindingCode } from './finding.js'
import { describeInvisible, describeSpaceAround, removeInvisible } from './text.js'

/** The key of the HMAC, as bytes. */
export type Key = Buffer

type KeyChange = (secret: string) => string | Buffer | undefined

interface KeyHypothesis {
  readonly cost: number
  readonly code: FindingCode
  readonly what: string | ((secret: string) => string)
  readonly fix: string
  readonly change: KeyChange
}

const WHITE_SPACE =
  "On the sender's side: trim the secret where it is read (Node: secret.trim(), Python: secret.strip(), Go: strings.TrimSpace, shell: printf %s, not echo), or store it without"
const WHITE_SPACE_ANYWHERE =
  'On either side: compare the two secrets, and store both with the same white space, best with none'
const WHITE_SPACE_HERE =
  "On the receiver's side: store the secret without it (into a file: printf %s, not echo), or trim it where it is read: process.env.WEBHOOK_SECRET.trim()"
const UNSEEN_HERE =
  "On the receiver's side: store the secret without it: it was copied along from where the secret was shown, and trim() does not take all such characters away"
const KEEPS_QUOTES = '(docker run --env-file and kubectl --from-env-file keep the quotes that a shell takes away)'
const QUOTES = `On the sender's side: take the quotes out of the configuration ${KEEPS_QUOTES}`
const QUOTES_HERE = `On the receiver's side: take the quotes out of the configuration: WEBHOOK_SECRET=…, not "…" ${KEEPS_QUOTES}`
const PREFIX = "On the sender's side: use the whole secret as text, its prefix included"
const PREFIX_HERE =
  "On the receiver's side: configure the very text that the sender was given, its prefix included. On the sender's side, if it was given none: put none before the secret"
const DECODED =
  "On the sender's side: the key is the secret's text, not what it decodes to: Node: createHmac('sha256', secret), Python: hmac.new(secret.encode(), …), Go: hmac.New(sha256.New, []byte(secret)), Ruby: OpenSSL::HMAC.hexdigest('SHA256', secret, message), not [secret].pack('H*'), PHP: hash_hmac('sha256', $message, $secret), not hex2bin($secret), Java: new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), \"HmacSHA256\"), not Base64.getDecoder().decode(secret), openssl: -macopt \"key:$SECRET\", not hexkey:"
const HASHED = "On the sender's side: the key is the secret itself, not a hash of it"
const CHANGED =
  'On the side whose secret was changed on its way (by a shell, a .env file, a URL or a form): compare its length on both sides, printf %s "$SECRET" | wc -c, and quote it where it is set'
/* biome-ignore-start lint/suspicious/noTemplateCurlyInString: code to be shown. */
const NOT_READ =
  'On the sender\'s side: use the value of the variable, not its name or a placeholder, and stop with an error if it is not set: Node: process.env.WEBHOOK_SECRET, Python: os.environ[\'WEBHOOK_SECRET\'], Go: os.Getenv("WEBHOOK_SECRET"), shell: "${WEBHOOK_SECRET:?}"'
/* biome-ignore-end lint/suspicious/noTemplateCurlyInString: code to be shown. */

function hypothesis(
  cost: number,
  code: FindingCode,
  what: KeyHypothesis['what'],
  fix: string,
  change: KeyChange,
): KeyHypothesis {
  return { cost, code, what, fix, change }
}

const constant = (cost: number, text: string) =>
  hypothesis(
    cost,
    'secret_placeholder',
    text === '' ? 'an empty secret' : `the text \`${text}\` in the place of the secret`,
    NOT_READ,
    () => text,
  )

const hash =
  (algorithm: string, encoding?: 'hex' | 'base64'): KeyChange =>
  (secret) => {
    const digest = createHash(algorithm).update(secret).digest()
    return encoding === undefined ? digest : digest.toString(encoding)
  }

/** What a prefix of a secret looks like: `whsec_`, `sk_live_`, `shpss_`, `v1:`. */
const PREFIXED = /^([A-Za-z][A-Za-z0-9]{0,15}[_:.=-]){1,2}(?=.)/

const withoutPrefix = (secret: string) => (PREFIXED.test(secret) ? secret.replace(PREFIXED, '') : undefined)
const withoutFirstPrefix = (secret: string) =>
  PREFIXED.test(secret) ? secret.replace(/^[A-Za-z][A-Za-z0-9]{0,15}[_:.=-]/, '') : undefined

const isBase64 = (text: string) => /^[A-Za-z0-9+/_-]{4,}={0,2}$/.test(text)
const fromBase64 = (text: string | undefined) =>
  text !== undefined && isBase64(text) ? Buffer.from(text, 'base64') : undefined
const fromHex = (text: string | undefined) =>
  text !== undefined && /^([0-9a-f]{2})+$/i.test(text) ? Buffer.from(text, 'hex') : undefined

/** What strict decoders are content with: no base64url characters, and padding. */
const utf8 = (bytes: Buffer | undefined) => bytes && Buffer.from(bytes.toString('utf8'))

function percentDecoded(secret: string): string | undefined {
  try {
    return decodeURIComponent(secret)
  } catch {
    return undefined
  }
}

const padded = (secret: string) => secret.padEnd(Math.ceil(secret.length / 4) * 4, '=')
const asBase64 = (secret: string) => secret.replaceAll('-', '+').replaceAll('_', '/')
const asBase64url = (secret: string) => secret.replaceAll('+', '-').replaceAll('/', '_')

/** The names under which secrets stand in environments. */
const NAMES = [
  'WEBHOOK_SECRET',
  'SECRET',
  'SIGNING_SECRET',
  'WEBHOOK_SIGNING_SECRET',
  'HMAC_SECRET',
  'SECRET_KEY',
  'HMAC_KEY',
  'WEBHOOK_KEY',
  'API_KEY',
  'API_SECRET',
  'HOOK_SECRET',
  'WEBHOOK_TOKEN',
  'SHARED_SECRET',
  'SIGNATURE_SECRET',
  'KEY',
  'INBOUND_WEBHOOK_SECRET',
]

const references = (name: string): (readonly [cost: number, text: string])[] => [
  [5, name],
  [5, `$${name}`],
  [5, `\${${name}}`],
  [5, `process.env.${name}`],
  [6, `%${name}%`],
  [6, `{{${name}}}`],
  [6, `{{ ${name} }}`],
  [6, `<${name}>`],
  [6, `$(${name})`],
  [6, `\${{ secrets.${name} }}`],
  [6, `ENV['${name}']`],
  [6, `ENV["${name}"]`],
  [6, `os.environ['${name}']`],
  [6, `os.environ["${name}"]`],
  [6, `$env:${name}`],
  [6, `env(${name})`],
  [6, `env('${name}')`],
  [6, name.toLowerCase()],
  [6, `<${name.toLowerCase().replaceAll('_', '-')}>`],
  [6, `your_${name.toLowerCase()}`],
  [6, `your-${name.toLowerCase().replaceAll('_', '-')}`],
  [6, `YOUR_${name}`],
]

const PLACEHOLDERS: readonly (readonly [cost: number, text: string])[] = [
  [3, ''],
  [4, 'undefined'],
  [4, 'null'],
  [4, 'None'],
  [5, 'nil'],
  [5, 'false'],
  [5, '[object Object]'],
  [5, '[object Promise]'],
  [4, 'secret'],
  [4, 'changeme'],
  [5, 'change-me'],
  [6, 'change_me'],
  [6, 'CHANGEME'],
  [5, 'test'],
  [5, 'password'],
  [5, 'my-secret'],
  [5, 'mysecret'],
  [6, 'my_secret'],
  [6, 'topsecret'],
  [6, 'your-secret-here'],
  [6, 'your_secret_here'],
  [6, 'example'],
  [6, 'placeholder'],
  [6, 'TODO'],
  [6, 'xxx'],
  [6, '***'],
  [6, '********'],
  [6, '[REDACTED]'],
  [6, '<secret>'],
  ...[
    'secret.txt',
    'webhook_secret.txt',
    'webhook-secret.txt',
    'secret.key',
    '.secret',
    'webhook_secret',
    'webhook-secret',
  ].flatMap((file) => ['', './', '/run/secrets/', '/etc/secrets/'].map((folder) => [7, folder + file] as const)),
  ...NAMES.flatMap((name, index) => references(name).map(([cost, text]) => [index === 0 ? cost : 7, text] as const)),
]

/** What the sender may have taken for the key, the most common first. */
const HYPOTHESES: readonly KeyHypothesis[] = [
  hypothesis(
    2,
    'secret_whitespace',
    'the secret and a line feed (LF) after it',
    WHITE_SPACE,
    (secret) => `${secret}\n`,
  ),
  hypothesis(
    2,
    'secret_whitespace',
    (secret) => `the secret without ${describeSpaceAround(secret)}`,
    WHITE_SPACE_HERE,
    (secret) => secret.trim(),
  ),
  hypothesis(4, 'secret_whitespace', 'the secret and a space after it', WHITE_SPACE, (secret) => `${secret} `),
  hypothesis(4, 'secret_whitespace', 'the secret and a space before it', WHITE_SPACE, (secret) => ` ${secret}`),
  hypothesis(
    4,
    'secret_whitespace',
    'the secret and a CRLF (carriage return and line feed) after it',
    WHITE_SPACE,
    (secret) => `${secret}\r\n`,
  ),
  hypothesis(
    4,
    'secret_whitespace',
    'the secret and a carriage return (CR) after it',
    WHITE_SPACE,
    (secret) => `${secret}\r`,
  ),
  hypothesis(
    6,
    'secret_whitespace',
    'the secret and a space on both sides of it',
    WHITE_SPACE,
    (secret) => ` ${secret} `,
  ),
  hypothesis(
    6,
    'secret_whitespace',
    'the secret and two line feeds after it',
    WHITE_SPACE,
    (secret) => `${secret}\n\n`,
  ),
  hypothesis(6, 'secret_whitespace', 'the secret and a tab after it', WHITE_SPACE, (secret) => `${secret}\t`),
  hypothesis(6, 'secret_whitespace', 'the secret and a tab before it', WHITE_SPACE, (secret) => `\t${secret}`),
  hypothesis(6, 'secret_whitespace', 'the secret without any white space', WHITE_SPACE_ANYWHERE, (secret) =>
    secret.replace(/\s/g, ''),
  ),
  hypothesis(6, 'secret_whitespace', 'the secret and a line feed before it', WHITE_SPACE, (secret) => `\n${secret}`),
  hypothesis(
    5,
    'secret_whitespace',
    'the secret and a byte order mark (U+FEFF) before it',
    WHITE_SPACE,
    (secret) => `\ufeff${secret}`,
  ),
  hypothesis(
    7,
    'secret_whitespace',
    'the secret, a byte order mark (U+FEFF) before it and a line feed after it',
    WHITE_SPACE,
    (secret) => `\ufeff${secret}\n`,
  ),
  hypothesis(
    5,
    'secret_whitespace',
    (secret) => `the secret without ${describeInvisible(secret)} in it`,
    UNSEEN_HERE,
    removeInvisible,
  ),
  hypothesis(
    6,
    'secret_whitespace',
    'the secret and a no-break space (U+00A0) after it',
    WHITE_SPACE,
    (secret) => `${secret}\xa0`,
  ),
  hypothesis(
    6,
    'secret_whitespace',
    'the secret and a zero-width space (U+200B) after it',
    WHITE_SPACE,
    (secret) => `${secret}\u200b`,
  ),
  hypothesis(7, 'secret_whitespace', 'the secret and a NUL before it', WHITE_SPACE, (secret) => `\0${secret}`),
  hypothesis(
    6,
    'secret_whitespace',
    'the secret and `\\n`, as two characters, after it',
    WHITE_SPACE,
    (secret) => `${secret}\\n`,
  ),

  hypothesis(3, 'secret_quotes', 'the secret between double quotes', QUOTES, (secret) => `"${secret}"`),
  hypothesis(4, 'secret_quotes', 'the secret between single quotes', QUOTES, (secret) => `'${secret}'`),
  hypothesis(
    4,
    'secret_quotes',
    'the secret without the quotes around it',
    QUOTES_HERE,
    (secret) => /^(["'`])(.+)\1$/s.exec(secret)?.[2],
  ),
  hypothesis(6, 'secret_quotes', 'the secret and a double quote after it', QUOTES, (secret) => `${secret}"`),
  hypothesis(6, 'secret_quotes', 'the secret and a double quote before it', QUOTES, (secret) => `"${secret}`),
  hypothesis(6, 'secret_quotes', 'the secret between backticks', QUOTES, (secret) => `\`${secret}\``),
  hypothesis(6, 'secret_quotes', 'the secret and a semicolon after it', QUOTES, (secret) => `${secret};`),
  hypothesis(6, 'secret_quotes', 'the secret and a comma after it', QUOTES, (secret) => `${secret},`),
  hypothesis(6, 'secret_quotes', 'the secret between escaped quotes', QUOTES, (secret) => `\\"${secret}\\"`),
  hypothesis(
    7,
    'secret_quotes',
    'the secret between double quotes and a line feed after it',
    QUOTES,
    (secret) => `"${secret}"\n`,
  ),
  hypothesis(7, 'secret_quotes', 'the secret between angle brackets', QUOTES, (secret) => `<${secret}>`),
  hypothesis(5, 'secret_quotes', "the secret as Python prints bytes, `b'…'`", QUOTES, (secret) => `b'${secret}'`),

  hypothesis(3, 'secret_prefix', 'the secret without its prefix', PREFIX, withoutPrefix),
  hypothesis(4, 'secret_prefix', 'the secret without the first part of its prefix', PREFIX, withoutFirstPrefix),
  hypothesis(2, 'secret_prefix', 'the secret without its prefix, decoded from base64', DECODED, (secret) =>
    fromBase64(withoutPrefix(secret)),
  ),
  hypothesis(4, 'secret_prefix', 'the secret without its prefix, decoded from hex', DECODED, (secret) =>
    fromHex(withoutPrefix(secret)),
  ),
  ...[
    'whsec_',
    'sk_',
    'sha256=',
    'Bearer ',
    'secret_',
    'key_',
    'v1=',
    'base64:',
    'key:',
    'secret=',
    'WEBHOOK_SECRET=',
  ].map((prefix, index) =>
    hypothesis(
      index === 0 ? 4 : 6,
      'secret_prefix',
      `the secret with \`${prefix}\` before it`,
      PREFIX_HERE,
      (secret) => prefix + secret,
    ),
  ),

  hypothesis(2, 'secret_encoding', 'the secret decoded from base64 or base64url', DECODED, fromBase64),
  hypothesis(2, 'secret_encoding', 'the secret decoded from hex', DECODED, fromHex),
  hypothesis(4, 'secret_encoding', 'the secret in base64', DECODED, (secret) => Buffer.from(secret).toString('base64')),
  hypothesis(5, 'secret_encoding', 'the secret in base64url', DECODED, (secret) =>
    Buffer.from(secret).toString('base64url'),
  ),
  hypothesis(5, 'secret_encoding', 'the secret in hex', DECODED, (secret) => Buffer.from(secret).toString('hex')),
  hypothesis(6, 'secret_encoding', 'the secret in uppercase hex', DECODED, (secret) =>
    Buffer.from(secret).toString('hex').toUpperCase(),
  ),
  hypothesis(6, 'secret_encoding', 'the secret and a line feed after it, in base64', DECODED, (secret) =>
    Buffer.from(`${secret}\n`).toString('base64'),
  ),
  hypothesis(6, 'secret_encoding', 'the secret decoded from base64, and its bytes as UTF-8', DECODED, (secret) =>
    utf8(fromBase64(secret)),
  ),
  hypothesis(6, 'secret_encoding', 'the secret decoded from hex, and its bytes as UTF-8', DECODED, (secret) =>
    utf8(fromHex(secret)),
  ),
  hypothesis(
    7,
    'secret_encoding',
    'the secret decoded from base64, and each byte encoded as UTF-8',
    DECODED,
    (secret) => fromBase64(secret)?.toString('latin1'),
  ),
  hypothesis(6, 'secret_encoding', 'the secret decoded from base64 twice', DECODED, (secret) =>
    fromBase64(fromBase64(secret)?.toString('latin1')),
  ),
  hypothesis(
    5,
    'secret_encoding',
    'the secret decoded from base64 without the `-` and `_` of base64url, which lenient decoders skip',
    DECODED,
    (secret) => (/[-_]/.test(secret) ? fromBase64(secret.replace(/[-_]/g, '')) : undefined),
  ),
  hypothesis(5, 'secret_encoding', 'the secret in UTF-16 (little-endian)', DECODED, (secret) =>
    Buffer.from(secret, 'utf16le'),
  ),
  hypothesis(6, 'secret_encoding', 'the secret in UTF-16 (big-endian)', DECODED, (secret) =>
    Buffer.from(secret, 'utf16le').swap16(),
  ),
  hypothesis(4, 'secret_encoding', 'the secret in Latin-1 instead of UTF-8', DECODED, (secret) =>
    Buffer.from(secret, 'latin1'),
  ),
  hypothesis(5, 'secret_encoding', 'the secret in ASCII, in which `?` stands for all else', DECODED, (secret) =>
    secret.replace(/[^\0-\x7f]/g, '?'),
  ),
  hypothesis(5, 'secret_encoding', 'the secret in UTF-8 twice', DECODED, (secret) =>
    Buffer.from(secret).toString('latin1'),
  ),
  hypothesis(4, 'secret_encoding', 'the secret in Unicode normalisation form C', DECODED, (secret) =>
    secret.normalize('NFC'),
  ),
  hypothesis(4, 'secret_encoding', 'the secret in Unicode normalisation form D', DECODED, (secret) =>
    secret.normalize('NFD'),
  ),
  hypothesis(6, 'secret_encoding', 'the secret in Unicode normalisation form KC', DECODED, (secret) =>
    secret.normalize('NFKC'),
  ),
  hypothesis(6, 'secret_encoding', 'the bytes of the UUID that the secret is', DECODED, (secret) =>
    fromHex(secret.replaceAll('-', '')),
  ),

  hypothesis(4, 'secret_hashed', "the bytes of the secret's SHA-256", HASHED, hash('sha256')),
  hypothesis(4, 'secret_hashed', "the secret's SHA-256 in hex", HASHED, hash('sha256', 'hex')),
  hypothesis(5, 'secret_hashed', "the secret's SHA-256 in base64", HASHED, hash('sha256', 'base64')),
  hypothesis(5, 'secret_hashed', "the secret's MD5 in hex", HASHED, hash('md5', 'hex')),
  hypothesis(6, 'secret_hashed', "the bytes of the secret's MD5", HASHED, hash('md5')),
  hypothesis(5, 'secret_hashed', "the secret's SHA-1 in hex", HASHED, hash('sha1', 'hex')),
  hypothesis(6, 'secret_hashed', "the bytes of the secret's SHA-1", HASHED, hash('sha1')),
  hypothesis(6, 'secret_hashed', "the secret's SHA-512 in hex", HASHED, hash('sha512', 'hex')),
  hypothesis(6, 'secret_hashed', "the bytes of the secret's SHA-512", HASHED, hash('sha512')),

  hypothesis(5, 'secret_changed', 'the secret in lowercase', CHANGED, (secret) => secret.toLowerCase()),
  hypothesis(5, 'secret_changed', 'the secret in uppercase', CHANGED, (secret) => secret.toUpperCase()),
  hypothesis(4, 'secret_changed', 'the secret without the `=` at its end', CHANGED, (secret) =>
    secret.replace(/=+$/, ''),
  ),
  hypothesis(5, 'secret_changed', 'the secret with `=` added at its end', CHANGED, padded),
  hypothesis(
    5,
    'secret_changed',
    'the secret as base64 with `+` and `/`, where it has the `-` and `_` of base64url',
    CHANGED,
    asBase64,
  ),
  hypothesis(
    5,
    'secret_changed',
    'the secret as base64 with `+` and `/`, and with `=` added at its end',
    CHANGED,
    (secret) => padded(asBase64(secret)),
  ),
  hypothesis(
    5,
    'secret_changed',
    'the secret as base64url with `-` and `_`, where it has the `+` and `/` of base64',
    CHANGED,
    asBase64url,
  ),
  hypothesis(
    5,
    'secret_changed',
    'the secret as base64url with `-` and `_`, and without the `=` at its end',
    CHANGED,
    (secret) => asBase64url(secret).replace(/=+$/, ''),
  ),
  hypothesis(4, 'secret_changed', 'the secret up to a `#`, which begins a comment in a .env file', CHANGED, (secret) =>
    secret.replace(/\s*#.*$/s, ''),
  ),
  hypothesis(4, 'secret_changed', 'the secret without what a shell takes for a variable (`$…`)', CHANGED, (secret) =>
    secret.replace(/\$(\w+|\{[^}]*\}|[@*#?$!-])/g, ''),
  ),
  hypothesis(5, 'secret_changed', 'the secret up to a `$`', CHANGED, (secret) => secret.replace(/\$.*$/s, '')),
  hypothesis(5, 'secret_changed', 'the secret with `$$` as `$`', CHANGED, (secret) => secret.replaceAll('$$', '$')),
  hypothesis(5, 'secret_changed', 'the secret up to a `=`', CHANGED, (secret) => /^[^=]+(?==)/.exec(secret)?.[0]),
  hypothesis(5, 'secret_changed', 'the secret after a `=`', CHANGED, (secret) => /=(.+)$/s.exec(secret)?.[1]),
  hypothesis(5, 'secret_changed', 'the secret up to a space', CHANGED, (secret) => secret.split(' ', 1)[0]),
  hypothesis(6, 'secret_changed', 'the secret up to a `;`', CHANGED, (secret) => secret.split(';', 1)[0]),
  hypothesis(6, 'secret_changed', 'the secret up to a `,`', CHANGED, (secret) => secret.split(',', 1)[0]),
  hypothesis(6, 'secret_changed', 'the secret up to a `:`', CHANGED, (secret) => secret.split(':', 1)[0]),
  hypothesis(
    6,
    'secret_changed',
    'the secret up to its first line break',
    CHANGED,
    (secret) => secret.split(/\r?\n/, 1)[0],
  ),
  hypothesis(6, 'secret_changed', 'the secret after a `:`', CHANGED, (secret) => /:(.+)$/s.exec(secret)?.[1]),
  hypothesis(5, 'secret_changed', 'the secret with a space for each `+`', CHANGED, (secret) =>
    secret.replaceAll('+', ' '),
  ),
  hypothesis(5, 'secret_changed', 'the secret percent-decoded', CHANGED, percentDecoded),
  hypothesis(5, 'secret_changed', 'the secret percent-encoded', CHANGED, (secret) => encodeURIComponent(secret)),
  hypothesis(6, 'secret_changed', 'the secret escaped as HTML', CHANGED, (secret) =>
    secret.replace(/[&<>"']/g, (one) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[one] ?? '&#39;'),
  ),
  hypothesis(5, 'secret_changed', 'the secret without its backslashes', CHANGED, (secret) =>
    secret.replace(/\\(.)/gs, '$1'),
  ),
  hypothesis(6, 'secret_changed', 'the secret with `\\n` as a line feed', CHANGED, (secret) =>
    secret.replaceAll('\\n', '\n'),
  ),
  hypothesis(6, 'secret_changed', 'the secret with its backslashes doubled', CHANGED, (secret) =>
    secret.replaceAll('\\', '\\\\'),
  ),
  hypothesis(5, 'secret_changed', 'the first 32 bytes of the secret', CHANGED, (secret) =>
    Buffer.from(secret).subarray(0, 32),
  ),
  hypothesis(5, 'secret_changed', 'the first 64 bytes of the secret', CHANGED, (secret) =>
    Buffer.from(secret).subarray(0, 64),
  ),
  hypothesis(5, 'secret_changed', 'the first 16 bytes of the secret', CHANGED, (secret) =>
    Buffer.from(secret).subarray(0, 16),
  ),
  hypothesis(5, 'secret_changed', 'the secret without its last character', CHANGED, (secret) => secret.slice(0, -1)),
  hypothesis(5, 'secret_changed', 'the secret without its first character', CHANGED, (secret) => secret.slice(1)),
  hypothesis(6, 'secret_changed', 'the secret twice', CHANGED, (secret) => secret + secret),
  hypothesis(6, 'secret_changed', 'the secret without its dashes', CHANGED, (secret) => secret.replaceAll('-', '')),
  hypothesis(7, 'secret_changed', 'the secret reversed', CHANGED, (secret) => [...secret].reverse().join('')),

  ...PLACEHOLDERS.map(([cost, text]) => constant(cost, text)),
]

/** The dearest hypothesis that is tried where few can be. */
const DEAREST_LARGE = 4

/** How many hashes {@link keyChoices} makes of each secret. */
export const HASHES_PER_SECRET = HYPOTHESES.filter(({ code }) => code === 'secret_hashed').length

/**
 * What may have been the key in the place of these secrets, each once.
 *
 * @param isLarge - whether the search ends before it comes to the rare ones.
 */
export function keyChoices(secrets: readonly string[], webhookId: string, isLarge = false): Choice<Key>[] {
  const seen = new Set<string>()
  const choices: Choice<Key>[] = []
  const add = (cost: number, bytes: Buffer, deviation?: Choice<Key>['deviation']) => {
    // Keys that differ in NULs at their end only are one, for HMAC pads them.
    const name = bytes.toString('latin1').replace(/\0+$/, '')
    if (seen.has(name)) return
    seen.add(name)
    choices.push({ cost, value: bytes, deviation })
  }
  for (const secret of secrets) add(0, Buffer.from(secret))
  const byWebhook = hypothesis(
    6,
    'secret_placeholder',
    'the webhookId in the place of the secret',
    NOT_READ,
    () => webhookId,
  )
  for (const { cost, code, what, fix, change } of [...HYPOTHESES, byWebhook]) {
    if (isLarge && cost > DEAREST_LARGE) continue
    for (const [index, secret] of secrets.entries()) {
      const changed = change(secret)
      if (changed === undefined) continue
      const whose = secrets.length === 1 || code === 'secret_placeholder' ? '' : ` (of secret[${index}])`
      const phrase = typeof what === 'string' ? what : what(secret)
      add(cost + (index === 0 ? 0 : 1), Buffer.from(changed as string), { code, what: `${phrase}${whose}`, fix })
    }
  }
  return choices
}
