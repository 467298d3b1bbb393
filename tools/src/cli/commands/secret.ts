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
    // The output ends without a newline, because code that reads a whole file would use the newline as part of the key.
    return { exitCode: 0, text: stdout.isTTY === true ? `${created}\n` : created, document: { secret: created } }
  },
})
