import { readFileSync } from 'node:fs'
import { defineConfig, type MarkdownRenderer } from 'vitepress'
import { slugify } from '../slugify.js'

const read = (path: string) => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'))
const { version } = read('../../../package.json')
const navigation = read('../.pages/navigation.json')

/** Keeps identifiers such as `ERR_NONCE_STORE` whole, and finds their parts too. */
const tokenize = (text: string): string[] => {
  const words = text.split(/[^\p{L}\p{N}_]+/u).filter((word) => word !== '')
  return words.flatMap((word) =>
    word.includes('_') ? [word, ...word.split('_').filter((part) => part !== '')] : [word],
  )
}

/** Longer code may break, because a phone shows about 45 characters. */
const MAX_UNBROKEN = 24

function adjustMarkdown({ renderer, utils }: MarkdownRenderer): void {
  // A header such as X-Timestamp would break at its hyphen.
  const writeCode = renderer.rules.code_inline
  renderer.rules.code_inline = (tokens, index, ...rest) => {
    const token = tokens[index]
    if (token !== undefined && token.content.length <= MAX_UNBROKEN) token.attrJoin('class', 'unbroken')
    return writeCode?.(tokens, index, ...rest) ?? ''
  }
  // The keyboard can scroll a wide block that is focusable.
  renderer.rules.code_block = (tokens, index) =>
    `<pre tabindex="0"><code>${utils.escapeHtml(tokens[index]?.content ?? '')}</code></pre>\n`
  // A screen reader would announce an empty header cell.
  for (const [rule, step] of [
    ['th_open', 1],
    ['th_close', -1],
  ] as const) {
    renderer.rules[rule] = (tokens, index, options, _, self) => {
      const token = tokens[index]
      if (token !== undefined && tokens[index + step]?.content === '') token.tag = 'td'
      return self.renderToken(tokens, index, options)
    }
  }
}

/**
 * Makes a section of the navigation one button that says whether it is open. The default theme has a second button in it, which
 * a screen reader cannot reach.
 */
function repairSections(code: string, file: string): string | undefined {
  if (!file.endsWith('/VPSidebarItem.vue')) return undefined
  return REPAIRS.reduce((text, [pattern, replacement]) => {
    if (!pattern.test(text)) throw new Error('The default theme has changed. Check REPAIRS.')
    return text.replace(pattern, replacement)
  }, code)
}

const REPAIRS: readonly (readonly [RegExp, string])[] = [
  [/ role="button"\s+aria-label="toggle section"/, ' aria-hidden="true"'],
  [/ tabindex="0"(?=\s*>\s*<span class="vpi-chevron)/, ''],
  [/:role="itemRole"/, ':role="itemRole" :aria-expanded="item.items && !collapsed"'],
]

export default defineConfig({
  title: 'inbound-webhook-auth',
  description:
    'Authenticates inbound webhooks in Node: HMAC-SHA256 over a timestamp, a nonce and the raw body, with replay protection.',
  lang: 'en',
  srcDir: '.pages',
  vite: { plugins: [{ name: 'repair-sections', enforce: 'pre', transform: repairSections }] },
  // GitHub Pages serves a project below its name.
  base: process.env['SITE_BASE'] ?? '/',
  // The theme loads no font and no image from elsewhere.
  head: [
    ['meta', { name: 'referrer', content: 'no-referrer' }],
    ['link', { rel: 'icon', href: 'data:,' }],
  ],
  markdown: {
    anchor: { slugify },
    config: adjustMarkdown,
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  themeConfig: {
    nav: [
      { text: 'Guides', link: '/start/how-it-works' },
      { text: 'Workbench', link: '/workbench.html', target: '_self' },
      { text: `v${version}`, link: '/trust/changelog' },
    ],
    sidebar: navigation,
    outline: { level: [2, 3] },
    search: {
      provider: 'local',
      options: {
        miniSearch: {
          options: { tokenize },
          searchOptions: {
            fuzzy: 0.1,
            prefix: true,
            boost: { title: 4, text: 2, titles: 1 },
            // Guides come before the reference of types, and before questions and history.
            boostDocument: (page: string) => (page.includes('/changelog') ? 0.2 : /\/(api|faq)\b/.test(page) ? 0.6 : 1),
          },
        },
      },
    },
    footer: { message: `inbound-webhook-auth ${version}, MIT License` },
  },
})
