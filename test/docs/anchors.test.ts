import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { SECTIONS } from '../../docs/site/navigation.js'
import { slugify } from '../../docs/site/slugify.js'
import { pathsBelow } from '../support/files.js'
import { ROOT } from '../support/packed.js'

// A released version links to pages and anchors of the documentation. anchors.json is kept by hand: a line is added, and never
// removed or renamed. The site has the same anchors, and its build checks the links between its pages.

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

const KEPT: { readonly [page: string]: readonly string[] } = JSON.parse(read('test/docs/anchors.json'))

const withoutCode = (markdown: string) => markdown.replace(/^```[\s\S]*?^```$/gm, '')

function anchorsOf(page: string): string[] {
  return [...withoutCode(read(page)).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => slugify(heading))
}

const codesIn = (path: string, pattern: RegExp) => [...read(path).matchAll(pattern)].map(([, code]) => String(code))

/** Returns the links of a text to files of this package. */
function linksIn(text: string): string[] {
  return [...text.matchAll(/(?:docs\/[\w./-]+|[A-Z]+)\.md(?:#[\w-]+)?/g)].map(([link]) => link)
}

describe.each(Object.entries(KEPT))('%s', (page, anchors) => {
  it('has every anchor that is linked', () => {
    const present = anchorsOf(page)
    expect(anchors.filter((anchor) => !present.includes(anchor))).toEqual([])
  })
})

describe('test/docs/anchors.json', () => {
  /** Returns the links whose page or anchor it lacks. */
  const missing = (links: readonly string[]) =>
    [...new Set(links)].filter((link) => {
      const [page = '', anchor] = link.split('#')
      return KEPT[page] === undefined || (anchor !== undefined && !KEPT[page].includes(anchor))
    })

  it('has every link of the README', () => {
    const links = linksIn(withoutCode(read('README.md')))
    expect(links.length).toBeGreaterThan(10)
    expect(missing(links)).toEqual([])
  })

  it('has every link of the source', () => {
    const files = ['src', 'tools/src'].flatMap((folder) =>
      pathsBelow(join(ROOT, folder)).map((file) => `${folder}/${file}`),
    )
    const links = files.filter((file) => file.endsWith('.ts')).flatMap((file) => linksIn(read(file)))
    expect(links).toContain('docs/receive/index.md')
    expect(missing(links)).toEqual([])
  })

  it('has every command', () => {
    const commands = readdirSync(join(ROOT, 'tools/src/cli/commands')).map((file) => file.replace('.ts', ''))
    expect(commands).toContain('check')
    expect(missing(commands.map((command) => `docs/debug/command-line.md#${command}`))).toEqual([])
  })

  it('has every page of the navigation', () => {
    const pages = SECTIONS.flatMap((section) => section.pages)
    expect(pages.length).toBeGreaterThan(40)
    expect(missing(pages)).toEqual([])
  })

  it('has no page that the navigation lacks', () => {
    expect(Object.keys(KEPT).toSorted()).toEqual(SECTIONS.flatMap((section) => section.pages).toSorted())
  })

  it('has every finding code, every reason and every error code', () => {
    const findings = codesIn('tools/src/diagnose/finding.ts', /^ {2}\| '(\w+)'$/gm)
    const reasons = codesIn('src/result.ts', /^ {2}\| '(\w+)'$/gm)
    const errors = codesIn('src/errors.ts', /^ {2}(ERR_\w+): /gm)
    expect([findings.length > 30, reasons.length, errors.length]).toEqual([true, 7, 11])
    expect(missing(findings.map((code) => `docs/debug/findings.md#${code}`))).toEqual([])
    expect(missing([...reasons, ...errors].map((code) => `docs/reference/errors.md#${slugify(code)}`))).toEqual([])
  })
})
