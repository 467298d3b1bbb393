import { COMMON } from './arguments.js'
import { command } from './command.js'
import { RECEIVED_OPTIONS } from './received.js'
import { SECRET_OPTIONS } from './secret-source.js'

export const diagnose = command({
  name: 'diagnose',
  summary: 'Tells why a captured request does not verify, and what to change.',
  operands: '[request.http|-]',
  mostOperands: 1,
  options: { ...SECRET_OPTIONS, ...RECEIVED_OPTIONS, ...COMMON },
  notes: '',
  async act() {
    throw new Error('not yet')
  },
})
