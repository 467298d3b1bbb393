import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { splitAnnotated } from './annotated.js'
import { markdownBelow } from './pages.js'
import { handWritten } from './parts.js'

// `npm run docs:words` counts the pages of the guides, and the words that somebody wrote by hand. Generated parts do not count.

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** @param {string} path */
const read = (path) => readFileSync(join(ROOT, path), 'utf8')

/**
 * Returns the number of words, without the bars of tables.
 *
 * @param {string} text
 */
const wordsIn = (text) => text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length

const pages = markdownBelow('docs').filter((path) => !path.startsWith('docs/site/'))
const annotated = ['docs/recipes', 'docs/senders'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => `${folder}/${file}`)
    .filter((path) => /\.\w+$/.test(path)),
)
const texts = [
  ...['README.md', 'SECURITY.md', 'CONTRIBUTING.md', ...pages].map((path) => ({ path, text: handWritten(read(path)) })),
  ...annotated.map((path) => {
    const { title, before, after } = splitAnnotated(read(path))
    return { path, text: `${title} ${before} ${after}` }
  }),
]
const counts = texts.map(({ path, text }) => ({ path, words: wordsIn(text) })).filter(({ words }) => words > 0)
for (const { path, words } of counts) console.log(`${String(words).padStart(6)}  ${path}`)
const sum = counts.reduce((total, { words }) => total + words, 0)
console.log(`${sum} words by hand, with the code that is written in the pages, on ${pages.length + 3} pages.`)
