import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { splitAnnotated } from '../../docs/generate/annotated.js'
import { markdownBelow } from '../../docs/generate/pages.js'
import { handWritten } from '../../docs/generate/parts.js'
import { pathsBelow } from '../support/files.js'
import { ROOT } from '../support/packed.js'

// Readers have ten minutes. What is generated from the program, or from tested code, does not count.

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

/** Returns the number of words, without the bars of tables. */
const wordsIn = (text: string) => text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length

it('the documents have at most 21 000 words by hand', () => {
  const documents = [...readdirSync(ROOT).filter((name) => name.endsWith('.md')), ...markdownBelow('docs')]
  const code = ['docs/recipes', 'docs/senders'].flatMap((folder) =>
    pathsBelow(join(ROOT, folder)).map((file) => splitAnnotated(read(`${folder}/${file}`))),
  )
  const texts = [
    ...documents.map((path) => handWritten(read(path))),
    ...code.map(({ title, before, after }) => `${title} ${before} ${after}`),
  ]
  expect(documents.length).toBeGreaterThan(50)
  const words = texts.reduce((sum, text) => sum + wordsIn(text), 0)
  expect(words).toBeGreaterThan(15_000)
  expect(words).toBeLessThanOrEqual(21_000)
})

it('the changelog has at most 400 words per version', () => {
  for (const version of read('CHANGELOG.md').split(/^## /m).slice(1)) {
    expect(wordsIn(version)).toBeLessThanOrEqual(400)
  }
})
