import { aboutAsLong } from '../../diagnose/timestamp.js'
import { MemoryNonceStore } from '../../stores/memory.js'
import { verify as verifyRequest } from '../../verify.js'
import { command } from '../command.js'
import { ADDED_LINE_END } from '../input/added-line-end.js'
import { COMMON } from '../input/arguments.js'
import { inWords } from '../input/moment.js'
import { inputsOf, RECEIVED_OPTIONS, readReceived } from '../input/received.js'
import { oddities, readSecrets, SECRET_OPTIONS } from '../input/secret-source.js'
import { wrapped } from '../output/wrapped.js'

const ONE_REQUEST = 'Whether it is a replay, one request cannot tell: only the nonce store of the service knows.'

export const verify = command({
  name: 'verify',
  summary: 'Tells whether a captured request is genuine.',
  operands: '[request.http|-]',
  mostOperands: 1,
  options: { ...SECRET_OPTIONS, ...RECEIVED_OPTIONS, ...COMMON },
  notes: [
    'The capture is HTTP text as a proxy or curl -v shows it: head, blank line and body, the body being the bytes that arrived. Where Content-Length says how long it is, the line end that an editor adds after it is left out.',
    `${ONE_REQUEST} Give several secrets while one is being rotated: the one that matched is named.`,
    'Exit code: 0 genuine, 1 not, 2 no verdict.',
  ],

  async act(parsed, surroundings, { bold, dim, green, red }) {
    const received = await readReceived(parsed, surroundings)
    const { request, requestWithoutLineEnd, clock, assumedTime, description, notes: read } = received
    const secrets = await readSecrets(parsed, surroundings, inputsOf(parsed))
    const texts = secrets.map(({ secret }) => secret)
    const verdictOf = (one: typeof request) => verifyRequest(one, texts, new MemoryNonceStore(), clock)
    const verdict = await verdictOf(request)
    const about = [`Read: ${description}.`, `Time assumed: ${assumedTime}.`, ...read, ...secrets.flatMap(oddities)]
    const text = (lines: readonly string[]): string =>
      [...lines, '', ...about.map((line) => dim(wrapped(line))), ''].join('\n')
    if (!verdict.ok) {
      const isMismatch = verdict.reason === 'signature_mismatch'
      const isAdded = isMismatch && requestWithoutLineEnd && (await verdictOf(requestWithoutLineEnd)).ok
      const message = verdict.message.replace(
        /[\d.e+]+ s (?=(behind|ahead of) server)/,
        (seconds) => `${aboutAsLong(Number.parseFloat(seconds))} `,
      )
      const added = isAdded ? [`${ADDED_LINE_END}.`] : []
      const next = isMismatch ? ['To find out why: inbound-webhook-auth diagnose, with the same arguments.'] : []
      return {
        exitCode: 1,
        text: text([
          `${red(bold('Not genuine'))}: ${bold(verdict.reason)}`,
          ...[...added, message, ...next].map((line) => wrapped(line)),
        ]),
        document: { ...verdict, message, notes: [...added, ...about] },
      }
    }

    const { timestamp, nonce, secretIndex } = verdict
    const secret = secrets[secretIndex]?.name
    return {
      exitCode: 0,
      text: text([
        `${green(bold('Genuine'))}: signed with the secret of ${secret}`,
        `X-Timestamp  ${timestamp} (${inWords(timestamp * 1000)})`,
        `X-Nonce      ${nonce}`,
        ONE_REQUEST,
      ]),
      document: { ok: true, timestamp, nonce, secretIndex, secret, notes: [...about, ONE_REQUEST] },
    }
  },
})
