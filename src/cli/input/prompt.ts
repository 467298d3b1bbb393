import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { Interrupted, UsageError } from '../usage-error.js'
import type { Terminal } from './terminal.js'

/** Asks for a line at a terminal, which does not show it. */
export function askHidden(question: string, terminal: Terminal): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: terminal.input, output: nowhere, terminal: true, historySize: 0 })
  terminal.output.write(question)
  return new Promise<string>((resolve, reject) => {
    lines.once('line', resolve)
    lines.once('SIGINT', () => reject(new Interrupted()))
    // Ctrl+D, or a terminal that goes away.
    lines.once('close', () => reject(new UsageError('no secret was typed')))
  }).finally(() => {
    lines.close()
    terminal.output.write('\n')
    terminal.close()
  })
}
