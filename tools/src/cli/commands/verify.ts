import { MemoryNonceStore, verify as verifyRequest } from '../../../../src/index.js'
import { describeTime } from '../../capture/arrival.js'
import { bodyOf, notTheBytes } from '../../capture/body.js'
import { signatureChecker } from '../../capture/signed-body.js'
import { maskSecrets } from '../../diagnose/mask-secrets.js'
import { NODE_PRIMITIVES } from '../../node-primitives.js'
import { commandLine, defineCommand } from '../command.js'
import { CAPTURE_NOTE, describeRead, RECEIVED_OPTIONS, readReceived } from '../input/received.js'
import { loadSecrets, SECRET_OPTIONS } from '../input/secret-source.js'
import { notesText, warningsText, wrapText } from '../output/terminal.js'

const REPLAY_NOTE = 'Not checked: whether it is a replay. Only the nonce store of the service knows that.'

const PIPE_TO = 'To find the cause, pipe the same request to this command:'

export const verify = defineCommand({
  name: 'verify',
  summary: 'Checks whether a captured request is genuine.',
  operands: ['[request.http|-]'],
  options: { ...SECRET_OPTIONS, ...RECEIVED_OPTIONS },
  notes: [
    CAPTURE_NOTE,
    'While you rotate a secret, pass both. The output names the one that matched.',
    REPLAY_NOTE,
    'Exit code: 0 genuine, 1 not genuine, 2 error.',
  ],

  async run(call, context, style) {
    const received = await readReceived(call, context)
    const { captured, headers, file, arrival } = received
    const { secrets, names, notes: secretNotes } = await loadSecrets(call, context)
    const read = bodyOf(captured, headers, signatureChecker(NODE_PRIMITIVES, headers, secrets), file)
    const request = { webhookId: 'the captured request', headers, body: read.body }
    const clock = arrival === undefined ? context.clock : { now: () => arrival[0] }
    const result = await verifyRequest(request, secrets, new MemoryNonceStore(), clock)
    const unknown = arrival === undefined ? ['X-Timestamp was compared with the time now.'] : []
    const mask = (text: string) => maskSecrets(text, secrets)
    const readNotes = describeRead(received, { read, notes: [...(captured.notes ?? []), ...read.notes] })
    const notes = [...readNotes.map(mask), ...unknown, ...secretNotes]
    const warnings = read.doubt === undefined ? [] : [mask(notTheBytes(read.doubt).message)]
    const documented = [...warnings, ...notes]
    const textOf = (...lines: readonly string[]) =>
      `${warningsText(warnings, style)}${wrapText(lines.join('\n'), style)}\n\n${notesText(notes, style)}`
    if (!result.ok) {
      if (result.reason === 'signature_mismatch' && read.doubt !== undefined) {
        throw notTheBytes(read.doubt)
      }
      const heading = `${style(['red', 'bold'], 'Not genuine')}: ${style('bold', result.reason)}`
      const next = mask(commandLine('diagnose', call, style))
      const text = `${textOf(heading, result.message)}\n${received.isPiped ? PIPE_TO : 'To find the cause:'}\n${next}\n`
      return { exitCode: 1, text, document: { ...result, notes: documented } }
    }

    const { timestamp, secretIndex } = result
    const nonce = mask(result.nonce)
    const secret = names[secretIndex]
    return {
      exitCode: 0,
      text: textOf(
        `${style(['green', 'bold'], 'Genuine')}: signed with the secret of ${secret}`,
        `X-Timestamp  ${timestamp} (${describeTime(timestamp * 1000)})`,
        `X-Nonce      ${nonce}`,
        REPLAY_NOTE,
      ),
      document: { ok: true, timestamp, nonce, secretIndex, secret, notes: [...documented, REPLAY_NOTE] },
    }
  },
})
