import { readFileSync } from 'node:fs'
import { defineConfig } from 'vitepress'
import llmstxt from 'vitepress-plugin-llms'
import { NAV } from '../navigation.js'
import { slugify } from '../slugify.js'
import { adjustMarkdown } from './markdown.js'
import { completePage, socialCard } from './page-data.js'

const read = (path: string) => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'))
const { version } = read('../../../package.json')
const sidebar = read('../.pages/sidebar.json')

// GitHub Pages serves a project below its name.
const base = process.env['SITE_BASE'] ?? '/'
const origin = process.env['SITE_ORIGIN']

/** Keeps identifiers such as `ERR_NONCE_STORE` whole, and finds their parts too. */
const tokenize = (text: string): string[] => {
  const words = text.split(/[^\p{L}\p{N}_]+/u).filter((word) => word !== '')
  return words.flatMap((word) =>
    word.includes('_') ? [word, ...word.split('_').filter((part) => part !== '')] : [word],
  )
}

/** Adds the words of the guides to those of readers. The browser gets the text of this function, so its table is inside. */
const addSynonyms = (term: string): string[] => {
  const word = term.toLowerCase()
  const synonyms = [
    ['stripe github slack', 'migrate library'],
    ['idempotency idempotent', 'idempotent exactly once release'],
    ['retry retries', 'retry retries release'],
    ['duplicate duplicates dedupe deduplication replay replays', 'replay replayed_nonce'],
    ['unauthorized', '401'],
    ['mismatch', 'signature_mismatch'],
    ['rotation', 'rotate'],
    ['sizing capacity', 'space'],
    ['drift expired', 'timestamp_outside_window'],
    ['vercel', 'nextjs lambda'],
    ['serverless', 'lambda workers'],
    ['kubernetes', 'processes shared'],
    ['monitoring prometheus', 'metrics alerts'],
    ['performance benchmark', 'benchmarks'],
  ]
  const [, added = ''] = synonyms.find(([words = '']) => words.split(' ').includes(word)) ?? []
  return [word, ...added.split(' ').filter(Boolean)]
}

/** The first page of a section is the link of its title. In llms.txt it needs an entry. */
const withFirstPages = () =>
  sidebar.map(({ text, link, items }: { text: string; link: string; items: { text: string; link: string }[] }) => ({
    text,
    items: items.some((item) => item.link === link) ? items : [{ text, link }, ...items],
  }))

export default defineConfig({
  title: 'inbound-webhook-auth',
  description:
    'Authenticates inbound webhooks in Node: HMAC-SHA256 over a timestamp, a nonce and the raw body, with replay protection.',
  lang: 'en',
  srcDir: '.pages',
  base,
  // The theme loads no font and no image from elsewhere.
  head: [
    ['meta', { name: 'referrer', content: 'no-referrer' }],
    ['link', { rel: 'icon', href: `${base}favicon.svg`, type: 'image/svg+xml' }],
  ],
  // The site also has llms.txt, llms-full.txt, and each page as Markdown.
  vite: { plugins: [llmstxt({ sidebar: withFirstPages, ...(origin === undefined ? {} : { domain: origin }) })] },
  transformPageData: completePage,
  transformHead: ({ title, description }) => socialCard(title, description, base, origin),
  markdown: {
    anchor: { slugify },
    config: adjustMarkdown,
    // By default, Shiki gives up after 500 ms. On a slow machine, the rest of a block then has the wrong colours in the first theme.
    codeTransformers: [
      {
        preprocess(_code, options) {
          options.tokenizeTimeLimit = 0
        },
      },
    ],
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  themeConfig: {
    nav: [...NAV, { text: `v${version}`, link: '/trust/changelog' }],
    sidebar,
    outline: { level: [2, 3] },
    search: {
      provider: 'local',
      options: {
        detailedView: true,
        miniSearch: {
          options: { tokenize },
          searchOptions: {
            fuzzy: 0.1,
            prefix: true,
            processTerm: addSynonyms,
            boost: { title: 4, text: 2, titles: 1 },
            // Guides come before the reference of types, and before the history.
            boostDocument: (page: string) => (page.includes('/changelog') ? 0.2 : /\/api\b/.test(page) ? 0.6 : 1),
          },
        },
      },
    },
    footer: { message: `inbound-webhook-auth ${version}, MIT License` },
  },
})
