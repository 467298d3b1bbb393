import { generateSecret } from '../../../../src/index.js'
import { generateSecret as generateStandardSecret } from '../../../../src/standard-webhooks/generate-secret.js'
import { defineCommand } from '../command.js'
import { parseScheme, SCHEME_OPTION } from '../input/scheme.js'

export const secret = defineCommand({
  name: 'secret',
  summary: 'Creates a signing secret of 32 random bytes.',
  operands: [],
  options: SCHEME_OPTION,
  notes: ['Run umask 077 first, so that only you can read the file.'],
  example: 'secret > webhook.secret',

  async run({ values }, { stdout }) {
    const created = parseScheme(values.scheme) === 'standard-webhooks' ? generateStandardSecret() : generateSecret()
    // In a file, a newline after the secret could become part of the key. Only a terminal needs the newline.
    return { exitCode: 0, text: stdout.isTTY === true ? `${created}\n` : created, document: { secret: created } }
  },
})
