import { generateSecret } from '../../../../src/index.js'
import { defineCommand } from '../command.js'

export const secret = defineCommand({
  name: 'secret',
  summary: 'Creates a signing secret of 43 characters: 32 random bytes.',
  operands: [],
  options: {},
  notes: ['Run umask 077 first, so that only you can read the file.'],
  example: 'secret > webhook.secret',

  async run(_call, { stdout }) {
    const created = generateSecret()
    // In a file, a newline after the secret could become part of the key. Only a terminal needs the newline.
    return { exitCode: 0, text: stdout.isTTY === true ? `${created}\n` : created, document: { secret: created } }
  },
})
