import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { FOLDER, NEXT_ROUTE, RECIPES } from '../recipes/recipes.js'

const GUIDE = join(FOLDER, '../receive')
const index = readFileSync(join(GUIDE, 'index.md'), 'utf8')
const pages = readdirSync(GUIDE).map((page) => readFileSync(join(GUIDE, page), 'utf8'))

describe('the guide to recipes', () => {
  const files = readdirSync(FOLDER).filter((name) => /\.ts$/.test(name))

  it.each([...files, NEXT_ROUTE, 'wrangler.json'])('shows docs/recipes/%s', (file) => {
    const language = file.replace(/^.*\./, '')
    const code = `\n\`\`\`${language}\n${readFileSync(join(FOLDER, file), 'utf8')}\`\`\`\n`
    expect(pages.filter((page) => page.includes(code))).toHaveLength(1)
  })

  it('shows what is tested, and nothing else', () => {
    expect(new Set(RECIPES.map(({ file }) => file))).toEqual(new Set([...files, NEXT_ROUTE]))
  })

  it.each(RECIPES)('says what $name decides', ({ name, gzip, largeHeaders, malformedPath, store }) => {
    const [, cells = ''] = new RegExp(`^\\| \\[${name}\\]\\([a-z0-9-]+\\.md\\) \\| (.*) \\|$`, 'm').exec(index) ?? []
    expect(cells.split(' | ').slice(1)).toEqual([
      gzip === 204 ? 'verified as sent' : '415',
      name.startsWith('Lambda') ? '10 KB at most' : String(largeHeaders),
      String(malformedPath),
      store,
    ])
  })
})
