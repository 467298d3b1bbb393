import { readFileSync } from 'node:fs'
import type { HeadConfig, PageData } from 'vitepress'

/** Search engines show about this many characters. */
const MAX_DESCRIPTION = 180

/** Adds the description of a page, from its first sentences. */
export function completePage(page: PageData): Partial<PageData> {
  if (page.isNotFound) return {}
  const source = readFileSync(new URL(`../.pages/${page.filePath}`, import.meta.url), 'utf8')
  return { description: page.description || describe(page, source) }
}

function describe({ relativePath, title }: PageData, source: string): string {
  const [, module, member] = /^api\/(.+?)\/(?:\w+\/(\w+)|index)\.md$/.exec(relativePath) ?? []
  if (module !== undefined && member === undefined) return `Reference of ${module}: its functions, classes and types.`
  const prose = source.replace(/^```[\s\S]*?^```/gm, '')
  const text = prose
    .split(/\n\s*\n/)
    .map((block) => block.trim())
    // Paragraphs, and no headings, lists or tables.
    .filter((block) => /^[\p{L}`*[]/u.test(block))
    .map((block) => block.replace(/:$/, '.'))
    .join(' ')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[`*"]/g, '')
    .replace(/\s+/g, ' ')
  // Guides for similar tools can begin with the same sentence, so the title comes first.
  const name = module === undefined ? title : `${title} of ${module}`
  const sentences = `${name}: ${text}`.split(/(?<=[.?!])\s+/)
  const fitting = sentences.filter((_, index) => sentences.slice(0, index + 1).join(' ').length <= MAX_DESCRIPTION)
  return fitting.length === 0 ? `${sentences.join(' ').slice(0, MAX_DESCRIPTION - 1)}…` : fitting.join(' ')
}

/**
 * Returns what other sites show when somebody links to a page.
 *
 * @param origin - where the site is published, such as `https://owner.github.io`. An image needs it, because its address is absolute.
 */
export function socialCard(title: string, description: string, base: string, origin: string | undefined): HeadConfig[] {
  const image = `${origin}${base}card.png`
  const properties = {
    'og:type': 'website',
    'og:title': title,
    'og:description': description,
    ...(origin === undefined ? {} : { 'og:image': image, 'og:image:width': '1200', 'og:image:height': '630' }),
  }
  return [
    ...Object.entries(properties).map(([property, content]): HeadConfig => ['meta', { property, content }]),
    ['meta', { name: 'twitter:card', content: origin === undefined ? 'summary' : 'summary_large_image' }],
  ]
}
