import { generateSecret } from '../../index.js'
import { defineCommand } from '../command.js'

export const secret = defineCommand({
  name: 'secret',
  summary: 'Creates a signing secret: 32 random bytes as base64url, 43 characters.',
  operands: [],
  options: {},
  notes: ['To save it without showing it:', '  (umask 077; inbound-webhook-auth secret > webhook.secret)'],

  async run(_call, { stdout }) {
    const created = generateSecret()
    // A line end in a file would become part of the key where the whole file is read.
    return { exitCode: 0, text: stdout.isTTY === true ? `${created}\n` : created, document: { secret: created } }
  },
})
