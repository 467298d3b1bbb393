import { MemoryNonceStore, verify as verifyRequest } from '../../index.js'
import { defineCommand } from '../command.js'
import { describeTime, RECEIVED_OPTIONS, readReceived } from '../input/received.js'
import { readSecrets, SECRET_OPTIONS, secretNotes } from '../input/secret-source.js'
import { wrapText } from '../output/layout.js'

const REPLAY_NOTE = 'Not checked: whether it is a replay. Only the nonce store of the service knows that.'
const LINE_END_NOTE =
  'Without the line end after the body, the signature matches. An editor or the capturing tool probably added it.'

export const verify = defineCommand({
  name: 'verify',
  summary: 'Checks whether a captured request is genuine.',
  operands: '[request.http|-]',
  maxOperands: 1,
  options: { ...SECRET_OPTIONS, ...RECEIVED_OPTIONS },
  notes: [
    'The capture is HTTP text from a proxy, a log or curl -v: head, blank line, and the exact bytes of the body.',
    'Pass several secrets while you rotate them. The output names the one that matched.',
    REPLAY_NOTE,
    'Exit code: 0 genuine, 1 not genuine, 2 error.',
  ],

  async run(call, context, style) {
    const { request, requestWithoutLineEnd, clock, notes: read } = await readReceived(call, context)
    const secrets = await readSecrets(call, context)
    const texts = secrets.map(({ secret }) => secret)
    const verifyOne = (one: typeof request) => verifyRequest(one, texts, new MemoryNonceStore(), clock)
    const result = await verifyOne(request)
    const notes = [...read, ...secrets.flatMap(secretNotes)]
    const textOf = (lines: readonly string[]): string =>
      [...lines, '', ...notes.map((note) => style('dim', wrapText(note))), ''].join('\n')
    if (!result.ok) {
      const isMismatch = result.reason === 'signature_mismatch'
      const isAdded = isMismatch && requestWithoutLineEnd && (await verifyOne(requestWithoutLineEnd)).ok
      const lineEnd = isAdded ? [LINE_END_NOTE] : []
      const next = isMismatch ? ['To find the cause: inbound-webhook-auth diagnose, with the same arguments.'] : []
      return {
        exitCode: 1,
        text: textOf([
          `${style('red', style('bold', 'Not genuine'))}: ${style('bold', result.reason)}`,
          ...[...lineEnd, result.message, ...next].map((line) => wrapText(line)),
        ]),
        document: { ...result, notes: [...lineEnd, ...notes] },
      }
    }

    const { timestamp, nonce, secretIndex } = result
    const secret = secrets[secretIndex]?.name
    return {
      exitCode: 0,
      text: textOf([
        `${style('green', style('bold', 'Genuine'))}: signed with the secret of ${secret}`,
        `X-Timestamp  ${timestamp} (${describeTime(timestamp * 1000)})`,
        `X-Nonce      ${nonce}`,
        REPLAY_NOTE,
      ]),
      document: { ok: true, timestamp, nonce, secretIndex, secret, notes: [...notes, REPLAY_NOTE] },
    }
  },
})
