import type { Diagnosis, Finding } from '../../diagnose/index.js'

/** What to say when a body fits without the line break after it, and nothing says whether that was sent. */
export const ADDED_LINE_END =
  'Without the line break at its end the body is the one that was signed: an editor, or what captured the request, may have added it'

/**
 * What is found, told as what is found without the line break at the body's end if that is simpler: before anybody is blamed,
 * the capture is to be looked at.
 *
 * @param as - what is found with the body as the capture has it.
 * @param without - what is found without the line break.
 */
export function simplerWithoutLineEnd(as: Diagnosis, without: Diagnosis): Diagnosis {
  const isExplained = without.findings.every(({ code }) => code !== 'signature_mismatch')
  if (!isExplained || wordsOf(without) >= wordsOf(as)) return as
  const isWhole = without.findings.every(({ code }) => !code.startsWith('body_'))
  const message = isWhole ? ADDED_LINE_END : ADDED_LINE_END.replace('is the one', 'is nearer to the one')
  return { genuine: false, findings: [{ ...ADDED, message: `${message}.` }, ...without.findings] }
}

const ADDED = {
  code: 'body_newline',
  fix: "On either side, if it was added after the request arrived: change nothing but the capture: take the line break out of the file (perl -pi -e 'chomp if eof' FILE), or give it the Content-Length that was sent. On the sender's side, if it was sent: sign it as well, or send the body without it.",
} as const satisfies Partial<Finding>

/** How much there is to tell. */
function wordsOf({ findings }: Diagnosis): number {
  return findings.reduce((sum, { message }) => sum + message.length, 0)
}
