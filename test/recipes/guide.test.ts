import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { FOLDER, NEXT_ROUTE, RECIPES } from './recipes.js'

const guide = readFileSync(join(FOLDER, '../recipes.md'), 'utf8')

describe('the guide to recipes', () => {
  const files = readdirSync(FOLDER).filter((name) => /\.ts$/.test(name))

  it.each([...files, NEXT_ROUTE, 'wrangler.json'])('shows docs/recipes/%s', (file) => {
    const language = file.replace(/^.*\./, '')
    expect(guide).toContain(`\n\`\`\`${language}\n${readFileSync(join(FOLDER, file), 'utf8')}\`\`\`\n`)
  })

  it('shows what is tested, and nothing else', () => {
    expect(new Set(RECIPES.map(({ file }) => file))).toEqual(new Set([...files, NEXT_ROUTE]))
  })

  it.each(RECIPES)('says what $name decides', ({ name, gzip, largeHeaders, malformedPath, store }) => {
    const [, cells = ''] = new RegExp(`^\\| \\[${name}\\]\\(#[a-z0-9-]+\\) \\| (.*) \\|$`, 'm').exec(guide) ?? []
    expect(cells.split(' | ').slice(1)).toEqual([
      gzip === 204 ? 'verified as sent' : '415',
      name.startsWith('Lambda') ? '10 KB at most' : String(largeHeaders),
      String(malformedPath),
      store,
    ])
  })

  it('links to sections that it has', () => {
    const sections = [...guide.matchAll(/^## (.*)$/gm)].map(([, title = '']) =>
      title
        .toLowerCase()
        .replace(/[^a-z0-9 -]/g, '')
        .replaceAll(' ', '-'),
    )
    const linked = [...guide.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor]) => anchor)
    expect(linked.filter((anchor) => !sections.includes(anchor ?? ''))).toEqual([])
  })
})
