import { WINDOW_SECONDS } from '../../../../src/rules/timestamp.js'
import { describeTime } from '../../capture/arrival.js'
import { type Header, valuesOf } from '../../capture/headers.js'
import { signatureChecker } from '../../capture/signed-body.js'
import { LANGUAGES } from '../../diagnose/finding.js'
import { maskWith } from '../../diagnose/mask-secrets.js'
import { inTurns, NODE_PRIMITIVES } from '../../node-primitives.js'
import { schemeOf } from '../../schemes.js'
import { defineCommand, guideAddress } from '../command.js'
import { LANGUAGE_OPTION, parseLanguage } from '../input/language.js'
import { CAPTURE_NOTE, describeRead, RECEIVED_OPTIONS, readReceived } from '../input/received.js'
import { assertPublicKeys, publicKeyNotes } from '../input/scheme.js'
import { loadSecrets, SECRET_OPTIONS, weaknessNotes } from '../input/secret-source.js'
import { findingsText } from '../output/findings.js'
import { notesText, warningsText, wrapText } from '../output/terminal.js'

const STANDARD =
  'The headers are those of Standard Webhooks. In the library, import from inbound-webhook-auth/standard-webhooks. To check signatures of version v1a, pass the public key of the sender (whpk_…).'

const ELSEWHERE =
  'If an endpoint rejects this request, the endpoint has another secret or a wrong clock, receives other bytes, or has already accepted the request.'

export const diagnose = defineCommand({
  name: 'diagnose',
  summary: 'Checks a captured request, and finds out why it is not valid.',
  operands: ['[request.http|-]'],
  options: { ...SECRET_OPTIONS, ...RECEIVED_OPTIONS, ...LANGUAGE_OPTION },
  notes: [
    CAPTURE_NOTE,
    'While you rotate a secret, pass both secrets, because diagnose tries each secret.',
    `For the meaning of each finding, see ${guideAddress('docs/debug/findings.md')}`,
    'Show the findings only to the owner of the secret, because findings say more than a sender should know.',
    'Not checked: whether the request is a replay, because only the nonce store of the service knows used nonces.',
    'Exit code: 0 valid, 1 not valid, 2 error.',
  ],
  example: 'diagnose request.http --secret-env SECRET',

  async run(call, context, style) {
    // This large module is loaded only here, so that the other commands start faster.
    const { diagnoseCapture } = await import('../../diagnose/diagnose-capture.js')
    const language = parseLanguage(call.values.language, LANGUAGES)
    const received = await readReceived(call, context)
    const loaded = await loadSecrets(call, context)
    const { secrets, names } = loaded
    assertPublicKeys(secrets)
    const diagnosis = await inTurns(diagnoseCapture(NODE_PRIMITIVES, { ...received, secrets }))
    const { valid, findings, language: guessed, warnings } = diagnosis
    // With several secrets, a finding names a secret by its index: `secret[1]`.
    const isSignedWith = (secret: string) =>
      signatureChecker(NODE_PRIMITIVES, received.headers, [secret])(diagnosis.read.body)
    const matched = names[secrets.findIndex(isSignedWith)]
    const indexes =
      names.length === 1
        ? []
        : valid
          ? [`Signed with the secret of ${matched}.`]
          : names.map((name, index) => `secret[${index}]: ${name}`)
    const notes = [
      ...describeRead(received, diagnosis, maskWith(secrets)),
      ...(schemeOf(received.headers).isStandard ? [STANDARD] : []),
      ...publicKeyNotes(secrets),
      ...indexes,
      ...loaded.notes,
      ...weaknessNotes(loaded),
    ]
    // If this is the only finding, the signature and all formats are right.
    const isTimeUnknown = findings.map(({ code }) => code).join() === 'clock_unknown'
    const count = findings.length === 1 ? '1 finding' : `${findings.length} findings, the most likely cause first`
    const list = findingsText(findings, style, language, guessed)
    const nothingElse = loaded.hasNewline
      ? 'with the secret without the newline of its file.'
      : 'there is nothing to fix.'
    const heading = isTimeUnknown
      ? `${style(['yellow', 'bold'], 'The signature is valid')}. ${validIfArrived(received.headers)}`
      : valid
        ? `${style(['yellow', 'bold'], 'Valid')}, but there is a problem to fix.`
        : `${style(['red', 'bold'], 'Invalid')}: ${count}`
    const report =
      findings.length > 0
        ? `${wrapText(heading, style)}\n\n${list}`
        : `${style(['green', 'bold'], 'Valid')}: ${nothingElse}\n${wrapText(ELSEWHERE, style)}\n`
    const hasLines = language === undefined && findings.some(({ fixes }) => Object.keys(fixes).length > 0)
    const hasGuessed = findings.some(({ fixes }) => guessed !== undefined && guessed in fixes)
    const which = hasGuessed ? ` The lines above are for ${guessed}, from User-Agent.` : ''
    const languages = hasLines ? [`Other languages: --language ${LANGUAGES.join('|')}.${which}`] : []
    return {
      exitCode: valid ? 0 : 1,
      text: `${warningsText(warnings, style)}${report}\n${notesText([...notes, ...languages], style)}`,
      document: { valid, findings, notes: [...warnings, ...notes] },
    }
  },
})

function validIfArrived(headers: readonly Header[]): string {
  const seconds = Number(valuesOf(headers, schemeOf(headers).headers.timestamp)[0])
  const [from, to] = [seconds - WINDOW_SECONDS, seconds + WINDOW_SECONDS].map((end) => describeTime(end * 1000))
  return `Valid if the request arrived between ${from} and ${to}.`
}
