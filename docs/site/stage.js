import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildWorkbench } from '../../tools/src/workbench/build.js'
import { apiEntries, apiSummary, readReference } from './api-summary.js'
import { ADDRESSES, LABELS, NAV, OPEN, SECTIONS } from './navigation.js'

// Writes the pages of the site to .pages: the home page, the guides with their links rewritten, the reference, and the workbench.

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const SITE = fileURLToPath(new URL('.', import.meta.url))
export const PAGES = fileURLToPath(new URL('.pages', import.meta.url))

/** What typedoc writes, below the pages. */
const API = 'api'

/** @typedef {{ source: string, address: string, title: string }} StagedPage */

/** Writes all pages, and the navigation that {@link readNavigation} returns. */
export async function stage() {
  rmSync(PAGES, { recursive: true, force: true })
  mkdirSync(PAGES, { recursive: true })
  cpSync(join(SITE, 'public'), join(PAGES, 'public'), { recursive: true })
  runTypedoc()
  stageGuides()
  writeFileSync(
    join(PAGES, 'public/workbench.html'),
    await buildWorkbench(
      './',
      NAV.map(({ text, link }) => ({ text, link: link.slice(1) })),
    ),
  )
}

/** Writes the home page and the guides alone, which is fast. */
export function stageGuides() {
  writeFileSync(join(PAGES, 'index.md'), homePage())
  const sections = SECTIONS.map(({ title, pages: sources }) => ({ title, sources }))
  const listed = new Set(sections.flatMap(({ sources }) => sources))
  const others = markdownIn('docs').filter((source) => !listed.has(source))
  const guides = [...sections, ...(others.length === 0 ? [] : [{ title: 'More', sources: others }])]
  const addresses = new Map(guides.flatMap(({ sources }) => sources.map((source) => [source, addressOf(source)])))
  const problems = [...addresses].flatMap(([source, address]) => stagePage(source, address, addresses))
  if (problems.length > 0) throw new Error(`Dead links:\n${problems.join('\n')}`)

  const reference = readReference(join(PAGES, API))
  writeFileSync(join(PAGES, API, 'index.md'), apiSummary(reference))
  const sidebar = guides
    .filter(({ sources }) => sources.length > 0)
    .map(({ title, sources }) => {
      const pages = sources.map((source) => ({ text: entryOf(source), link: linkOf(addressOf(source)) }))
      const [first] = pages
      // The title of a section leads to its first page. An index has no entry of its own.
      const items = first?.link.endsWith('/') ? pages.slice(1) : pages
      if (title === 'Reference') items.push(...apiEntries(reference))
      if (title === 'Fix a 401') items.push({ text: 'Signature workbench', link: '/workbench.html', target: '_self' })
      return { text: title, link: first?.link, collapsed: !OPEN.includes(title), items }
    })
  writeFileSync(join(PAGES, 'sidebar.json'), JSON.stringify(sidebar))
}

/** Returns the start page, with the picture and the server of the README. */
function homePage() {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8')
  const server = readme.match(/^```js$[\s\S]*?^```$/gm)?.find((code) => code.includes('.listen('))
  if (server === undefined) throw new Error('README.md needs a server (js) for the start page.')
  const [, alt = '', path = ''] = /^!\[(.*)\]\((\S+\.svg)\)$/m.exec(readme) ?? []
  const overview = inlineDiagram('README.md', path, alt)
  if (overview === undefined) throw new Error('README.md needs a diagram (svg) for the start page.')
  return readFileSync(join(SITE, 'home.md'), 'utf8')
    .replace('<!-- overview -->', () => overview)
    .replace('<!-- quickstart -->', () => server)
}

/**
 * @param {string} folder
 * @returns {string[]}
 */
function markdownIn(folder) {
  return readdirSync(join(ROOT, folder), { withFileTypes: true })
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`
      if (entry.isDirectory()) return /^(node_modules|site|\..*)$/.test(entry.name) ? [] : markdownIn(path)
      return entry.name.endsWith('.md') ? [path] : []
    })
    .sort()
}

/** @param {string} source */
function addressOf(source) {
  return /** @type {Record<string, string>} */ (ADDRESSES)[source] ?? source.replace(/^docs\//, '')
}

/** @param {string} address */
function linkOf(address) {
  return `/${address.replace(/(^|(?<=\/))index\.md$/, '').replace(/\.md$/, '')}`
}

/** @param {string} source */
function titleOf(source) {
  if (source === 'README.md') return 'Overview'
  const [, title = source] = /^# (.+)$/m.exec(readFileSync(join(ROOT, source), 'utf8')) ?? []
  return title.replaceAll('`', '')
}

/**
 * Returns the title in the navigation, without the words that the section has too.
 *
 * @param {string} source
 */
function entryOf(source) {
  const label = /** @type {Record<string, string>} */ (LABELS)[source]
  return label ?? titleOf(source).replace(/^(Receive with|Send from) /, '')
}

/**
 * Writes a page with its links rewritten. Returns those that lead nowhere.
 *
 * @param {string} source
 * @param {string} address
 * @param {ReadonlyMap<string, string>} addresses
 * @returns {string[]}
 */
function stagePage(source, address, addresses) {
  /** @type {string[]} */
  const problems = []
  const text = readFileSync(join(ROOT, source), 'utf8')
  /** @type {Set<string>} */
  const offered = new Set()
  // Code blocks have no links.
  const pieces = text.split(/^(```[\s\S]*?^```.*$)/m).map((piece, index) => {
    if (index % 2 === 1) return piece + offerCaptures(source, piece, offered)
    return piece
      .replace(/^!\[([^\]]*)\]\(([^()\s:]+\.svg)\)$/gm, (image, alt, path) => inlineDiagram(source, path, alt) ?? image)
      .replace(/\[([^[\]]*)\]\((?![a-z]+:|#)([^()\s#]+)(#[^()\s]*)?\)/g, (link, text, path, anchor = '') => {
        const target = relative(ROOT, join(ROOT, dirname(source), path)).replace(/\/$/, '')
        const page = addresses.get(target) ?? addresses.get(`${target}/index.md`)
        if (page !== undefined) return `[${text}](${linkOf(page)}${anchor})`
        const file = join(ROOT, target)
        if (!existsSync(file)) {
          problems.push(`${source}: ${link}`)
          return link
        }
        // The site shows no folders.
        if (statSync(file).isDirectory()) return text
        // Without an extension, a file would be taken for a page.
        return `[${text}](${publish(target, target.includes('.') ? target : `${target}.txt`)})`
      })
  })
  const target = join(PAGES, address)
  mkdirSync(dirname(target), { recursive: true })
  writeFileSync(target, pieces.join(''))
  return problems
}

/**
 * Copies a file of the repository to the site, and returns its address there.
 *
 * @param {string} source
 * @param {string} name - its path there.
 */
function publish(source, name) {
  cpSync(join(ROOT, source), join(PAGES, 'public/files', name))
  return `/files/${name}`
}

/**
 * Returns a line with links to the captured requests that a code block reads. The block alone would need the repository.
 *
 * @param {string} source
 * @param {string} code
 * @param {Set<string>} offered - the requests that the page has a link to.
 */
function offerCaptures(source, code, offered) {
  const names = [...code.matchAll(/\b[\w-]+\.http\b/g)].map(([name]) => name)
  const links = [...new Set(names)].flatMap((name) => {
    const path = `${dirname(source)}/captured/${name}`
    if (offered.has(name) || !existsSync(join(ROOT, path))) return []
    offered.add(name)
    // VitePress takes .http for the end of a page, and adds the base of the site to no download.
    const base = (process.env['SITE_BASE'] ?? '/').replace(/\/$/, '')
    return [`[\`${name}\`](${base}${publish(path, `${path}.txt`)}){download=${name}}`]
  })
  return links.length === 0 ? '' : `\n\nThe captured request: ${links.join(', ')}.`
}

/**
 * Returns a diagram as part of the page, so that it follows the theme of the site. Other images stay images.
 *
 * @param {string} source
 * @param {string} path
 * @param {string} alt
 */
function inlineDiagram(source, path, alt) {
  const file = join(ROOT, dirname(source), path)
  if (!existsSync(file)) return undefined
  const svg = readFileSync(file, 'utf8')
  if (!svg.includes('class="diagram"')) return undefined
  // Vue accepts no style element in a page. The theme has the colours.
  const drawing = svg
    .replace(/<style>[\s\S]*?<\/style>/, '')
    .replace(/\n\s*/g, '\n')
    .replace(/\n+/g, '\n')
    .trim()
  return `<figure class="diagram-frame" tabindex="0" role="group" aria-label="${alt.replaceAll('"', '&quot;')}">\n${drawing}\n</figure>`
}

function runTypedoc() {
  const program = join(SITE, 'node_modules/typedoc/bin/typedoc')
  const options = ['--options', join(SITE, 'typedoc.json'), ...entryPoints(), '--out', join(PAGES, API)]
  execFileSync(process.execPath, [program, ...options], { cwd: ROOT, stdio: 'inherit' })
  // The reference links to copies of the source, which need no host of the repository.
  for (const file of readdirSync(join(PAGES, API), { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.md')) continue
    const text = readFileSync(join(PAGES, API, file), 'utf8')
    for (const [, path = ''] of text.matchAll(/\(\/files\/(\S+)\.txt\)/g)) publish(path, `${path}.txt`)
  }
}

/** Returns the options that name the entries of both packages. */
function entryPoints() {
  return ['src', 'tools/src'].flatMap((folder) => {
    const { files } = JSON.parse(readFileSync(join(ROOT, folder, 'tsconfig.json'), 'utf8'))
    return files.flatMap((/** @type {string} */ file) => ['--entryPoints', join(folder, file)])
  })
}
