import { exampleFindings } from './finding-examples.js'

// The reference of findings: what each code means, how a finding looks, and its fix per language.

/** The groups of codes, by their first words. */
const GROUPS = {
  Headers: ['header'],
  'Timestamp and clocks': ['timestamp', 'clock'],
  Nonce: ['nonce'],
  Signature: ['signature'],
  Secret: ['secret'],
  Message: ['message'],
  Body: ['body'],
}

const NAMES = {
  node: 'Node',
  python: 'Python',
  go: 'Go',
  ruby: 'Ruby',
  php: 'PHP',
  java: 'Java',
  csharp: 'C#',
  perl: 'Perl',
  shell: 'shell',
}

/**
 * @param {import('./pages.js').Program} program
 * @param {string} source - `tools/src/diagnose/finding.ts`, where a comment says what each code means.
 */
export async function findingsPart({ diagnose, replayFinding }, source) {
  const meanings = meaningsIn(source)
  const findings = await exampleFindings(diagnose)
  findings.set('nonce_reused', await replayFinding())
  /** @type {Map<string, string>} the first code with each table of lines. */
  const shown = new Map()
  const sections = Object.entries(GROUPS).map(([title, words]) => {
    const codes = [...meanings.keys()].filter((code) => words.some((word) => code.startsWith(`${word}_`)))
    const entries = codes.map((code) => {
      const finding = findings.get(code)
      if (finding === undefined)
        throw new Error(`${code} has no example. Add one to docs/generate/finding-examples.js.`)
      return [`### ${code}`, meanings.get(code), `> ${finding.message}`, ...fixOf(code, finding, shown)].join('\n\n')
    })
    return [`## ${title}`, ...entries].join('\n\n')
  })
  return sections.join('\n\n')
}

/**
 * Returns what each code means. The comment above a code can have several lines.
 *
 * @param {string} source
 */
export function meaningsIn(source) {
  const rows = [...source.matchAll(/(?:\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n)? {2}\| '(\w+)'$/gm)]
  return new Map(
    rows.map(([, comment, code = '']) => {
      if (comment === undefined) throw new Error(`${code} has no comment above it. Write what the code means.`)
      return [code, comment.replace(/\s+(?:\* )?/g, ' ').trim()]
    }),
  )
}

/**
 * @param {string} code
 * @param {import('inbound-webhook-tools').Finding} finding
 * @param {Map<string, string>} shown
 */
function fixOf(code, { fix, fixes }, shown) {
  const lines = fix.replace(/^(On the (sender|receiver)'s side): /gm, '- **$1:** ')
  const text = lines === fix ? `**Fix:** ${fix}` : lines
  const names = Object.entries(NAMES).filter(([language]) => language in fixes)
  if (names.length === 0) return [text]
  const rows = names.map(([language, name]) => `| ${name} | ${codeSpan(Object(fixes)[language])} |`)
  const table = ['| language | line to change |', '|---|---|', ...rows].join('\n')
  const first = shown.get(table)
  if (first !== undefined) return [text, `The line to change is the same as for [${first}](#${first}).`]
  shown.set(table, code)
  return [text, table]
}

/** @param {string} code */
function codeSpan(code) {
  const text = code.replaceAll('|', '\\|')
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``
}
