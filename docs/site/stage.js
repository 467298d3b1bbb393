import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildWorkbench } from '../../tools/src/workbench/build.js'
import { apiSummary } from './api-summary.js'
import { ADDRESSES, LABELS, SECTIONS } from './navigation.js'

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
  writeFileSync(join(PAGES, 'public/workbench.html'), await buildWorkbench('./'))
}

/** Writes the home page and the guides alone, which is fast. */
export function stageGuides() {
  cpSync(join(SITE, 'home.md'), join(PAGES, 'index.md'))
  const sections = SECTIONS.map(({ title, pages: sources }) => ({ title, sources }))
  const listed = new Set(sections.flatMap(({ sources }) => sources))
  const others = markdownIn('docs').filter((source) => !listed.has(source))
  const guides = [...sections, ...(others.length === 0 ? [] : [{ title: 'More', sources: others }])]
  const addresses = new Map(guides.flatMap(({ sources }) => sources.map((source) => [source, addressOf(source)])))
  const problems = [...addresses].flatMap(([source, address]) => stagePage(source, address, addresses))
  if (problems.length > 0) throw new Error(`Dead links:\n${problems.join('\n')}`)

  const api = readdirSync(join(PAGES, API), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md') && file !== 'index.md')
    .sort()
    .map((file) => file.replace(/\.md$/, ''))
  const summary = apiSummary(api.map((module) => [module, readFileSync(join(PAGES, API, `${module}.md`), 'utf8')]))
  writeFileSync(join(PAGES, API, 'index.md'), summary)
  const apiEntries = [
    { text: 'API', link: `/${API}/` },
    // The name of the package alone would fill the line.
    ...api.map((module) => ({ text: module.replace(/^[^/]*\//, '…/'), link: `/${API}/${module}` })),
  ]
  const navigation = guides
    .filter(({ sources }) => sources.length > 0)
    .map(({ title, sources }) => ({
      title,
      pages: [
        ...sources.map((source) => ({ text: entryOf(source), link: linkOf(addressOf(source)) })),
        ...(title === 'Reference' ? apiEntries : []),
        ...(title === 'Fix a 401' ? [{ text: 'Signature workbench', link: '/workbench.html', target: '_self' }] : []),
      ],
    }))
  writeFileSync(join(PAGES, 'navigation.json'), JSON.stringify(sidebarsOf(navigation)))
}

/** @typedef {{ text: string, link: string, target?: string }} Entry */

/**
 * Returns the navigation of each page by its address. It has the pages of this section, and one link per other
 * section, so that nobody must open and close parts of it.
 *
 * @param {readonly { title: string, pages: readonly Entry[] }[]} sections
 */
function sidebarsOf(sections) {
  const byPage = sections.flatMap(({ title, pages }) => {
    const groups = sections.map((other) => {
      const [first, ...rest] = other.pages
      const link = first?.link ?? '/'
      if (other.title !== title) return { items: [{ text: other.title, link }] }
      // The title of a section that has a first page of its own leads to that page.
      return { items: [{ text: title, link }, ...(link.endsWith('/') ? rest : other.pages)] }
    })
    return pages.map(({ link }) => /** @type {const} */ ([link, groups]))
  })
  // The first address with which a page begins decides, so the longest ones are first.
  return Object.fromEntries(byPage.sort(([one], [other]) => other.length - one.length))
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
    // VitePress takes .http for the end of a page.
    return [`[\`${name}\`](${publish(path, `${path}.txt`)}){download=${name}}`]
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
  const plugins = [
    join(SITE, 'node_modules/typedoc-plugin-markdown/dist/index.js'),
    join(SITE, 'typedoc-names.js'),
  ].flatMap((path) => ['--plugin', path])
  const layout = '--router module --entryFileName index --readme none --hideBreadcrumbs --hidePageHeader'
  const groups = '--groupOrder Functions --groupOrder Classes --groupOrder *'
  const tables = ['parametersFormat', 'interfacePropertiesFormat', 'typeDeclarationFormat']
    .map((option) => `--${option} table`)
    .join(' ')
  // The members that every error inherits are those of the language. A docstring names the default of its parameter.
  const options = [
    ...plugins,
    '--excludeExternals',
    // The type check of the repository finds them.
    '--skipErrorChecking',
    ...`${layout} ${groups} ${tables} --tableColumnSettings.hideModifiers --tableColumnSettings.hideDefaults`.split(
      ' ',
    ),
    ...linksToSource(),
    ...entryPoints(),
    ...['--out', join(PAGES, API), '--logLevel', 'Warn'],
  ]
  execFileSync(process.execPath, [join(SITE, 'node_modules/typedoc/bin/typedoc'), ...options], {
    cwd: ROOT,
    stdio: 'inherit',
  })
}

/** Returns the options that name the entries of both packages. */
function entryPoints() {
  return ['src', 'tools/src'].flatMap((folder) => {
    const { files } = JSON.parse(readFileSync(join(ROOT, folder, 'tsconfig.json'), 'utf8'))
    return files.flatMap((/** @type {string} */ file) => ['--entryPoints', join(folder, file)])
  })
}

/** Returns the options that link each name to its source, if the manifest has the address of the repository. */
function linksToSource() {
  const { repository, version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  if (repository === undefined) return []
  const address = repository.url.replace(/^git\+|\.git$/g, '')
  const template = `${address}/blob/v${version}/{path}#L{line}`
  return ['--disableSources', 'false', '--sourceLinkTemplate', template, '--gitRevision', `v${version}`]
}
