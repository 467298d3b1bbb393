import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { codeBlock } from './annotated.js'
import { linkTests } from './claims.js'
import { errorsPart, reasonPart } from './errors.js'
import { faultsPicture, faultsSource, lostPart, notRecoveredPart, recoveredPart, withoutOptionsPart } from './faults.js'
import { findingsPart } from './findings.js'
import { frameworkPages } from './framework-pages.js'
import { fillParts, isPartlyGenerated } from './parts.js'
import { senderPages } from './sender-pages.js'

// The generated pages: nobody edits them, because `npm run docs:generate` writes them again.

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** @param {string} path */
const read = (path) => readFileSync(join(ROOT, path), 'utf8')

/**
 * What the pages show of the program.
 *
 * @typedef {object} Program
 * @property {typeof import('inbound-webhook-tools').diagnose} diagnose
 * @property {(command: string) => string | Promise<string>} helpOf - returns the help of a command.
 * @property {() => import('inbound-webhook-tools').Finding | Promise<import('inbound-webhook-tools').Finding>} replayFinding -
 *   returns the finding of `listen` for a replay.
 */

/**
 * Returns the text of each generated page, by its path.
 *
 * @param {Program} program
 * @returns {Promise<Map<string, string>>}
 */
export async function generatePages(program) {
  const faults = JSON.parse(read('docs/faults.json'))
  const writers = {
    /** @param {string} path */
    code: (path) => codeBlock(path, read(path)),
    notRecovered: notRecoveredPart,
    recovered: () => recoveredPart(faults),
    lost: () => lostPart(faults),
    withoutOptions: () => withoutOptionsPart(faults),
    errors: () => errorsPart(read('src/errors.ts')),
    /** @param {string} reason */
    reason: (reason) => reasonPart(reason),
    faultsSource: () => faultsSource(faults),
    findings: () => findingsPart(program, read('tools/src/diagnose/finding.ts')),
    /** @param {string} command */
    options: async (command) => optionsOf(command, await program.helpOf(command)),
  }
  const pages = new Map([...frameworkPages(read), ...senderPages(read)])
  for (const path of markdownBelow('docs')) {
    const text = read(path)
    if (!pages.has(path) && isPartlyGenerated(text)) pages.set(path, await fillParts(text, writers))
  }
  // All diagrams have the same colours.
  const [style = ''] = /<style>[\s\S]*<\/style>/.exec(read('docs/operate/stores.svg')) ?? []
  pages.set('docs/operate/failures.svg', faultsPicture(faults, style))
  pages.set('SECURITY.md', linkTests(read('SECURITY.md'), JSON.parse(read('docs/claims.json'))))
  return pages
}

/**
 * Returns a sentence with the options of a command.
 *
 * @param {string} command
 * @param {string} help
 */
function optionsOf(command, help) {
  const options = [...help.matchAll(/^ {2}(--[\w-]+)/gm)].map(([, option]) => `\`${option}\``)
  return `Options: ${options.join(', ')}. Run \`npx -y inbound-webhook-tools ${command} --help\` for a description of each.`
}

/**
 * @param {string} folder
 * @returns {string[]}
 */
export function markdownBelow(folder) {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) return /^(node_modules|\..*)$/.test(entry.name) ? [] : markdownBelow(path)
    return entry.name.endsWith('.md') ? [path] : []
  })
}
