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
/** Tests run the code of the guides, so it is counted apart. */
const CODE = /^```[\s\S]*?^```$/gm
const counts = texts.map(({ path, text }) => ({ path, words: wordsIn(text.replace(CODE, '')), all: wordsIn(text) }))
for (const { path, words } of counts.filter(({ words }) => words > 0))
  console.log(`${String(words).padStart(6)}  ${path}`)
const [words, all] = [counts.reduce((sum, { words }) => sum + words, 0), counts.reduce((sum, { all }) => sum + all, 0)]
console.log(`${words} words by hand, and ${all - words} in code, on ${pages.length + 3} pages.`)
