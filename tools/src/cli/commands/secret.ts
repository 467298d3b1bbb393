import { generateSecret } from '../../../../src/index.js'
import { generateKeyPair } from '../../../../src/standard-webhooks/generate-key-pair.js'
import { generateSecret as generateStandardSecret } from '../../../../src/standard-webhooks/generate-secret.js'
import { defineCommand, UsageError } from '../command.js'
import { parseScheme, SCHEME_OPTION } from '../input/scheme.js'

export const secret = defineCommand({
  name: 'secret',
  summary: 'Creates a signing secret of 32 random bytes.',
  operands: [],
  options: {
    ...SCHEME_OPTION,
    'key-pair': {
      help: 'with --scheme standard-webhooks: creates a private key (whsk_…) for the sender, and says its public key (whpk_…), which is for the receivers',
    },
  },
  notes: ['Run umask 077 first, so that only you can read the file.'],
  example: 'secret > webhook.secret',

  async run({ values }, { stdout }) {
    const isStandard = parseScheme(values.scheme) === 'standard-webhooks'
    // In a file, a newline after the secret could become part of the key. Only a terminal needs the newline.
    const textOf = (secret: string) => (stdout.isTTY === true ? `${secret}\n` : secret)
    if (values['key-pair']) {
      if (!isStandard) throw new UsageError('--key-pair is for Standard Webhooks. Pass --scheme standard-webhooks too.')
      const { publicKey, privateKey: secret } = generateKeyPair()
      const notes = [`The public key, for the receivers: ${publicKey}`]
      return { exitCode: 0, text: textOf(secret), document: { secret, publicKey }, notes }
    }
    const secret = isStandard ? generateStandardSecret() : generateSecret()
    return { exitCode: 0, text: textOf(secret), document: { secret } }
  },
})
