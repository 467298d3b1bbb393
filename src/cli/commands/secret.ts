import { generateSecret } from '../../generate-secret.js'
import { command } from '../command.js'
import { COMMON } from '../input/arguments.js'

export const secret = command({
  name: 'secret',
  summary: 'Makes a signing secret: 32 random bytes, base64url, 43 characters.',
  operands: '',
  mostOperands: 0,
  options: COMMON,
  notes: ['To keep it off the screen:', '  (umask 077; inbound-webhook-auth secret > webhook.secret)'],

  async act() {
    const made = generateSecret()
    return { exitCode: 0, text: `${made}\n`, document: { secret: made } }
  },
})
