import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TxtNode, TxtParagraphNode } from '@textlint/ast-node-types'
import { TextlintKernel } from '@textlint/kernel'
import markdown from '@textlint/textlint-plugin-markdown'
import type { TextlintRuleModule } from '@textlint/types'
import { SentenceSplitterSyntax, splitAST } from 'sentence-splitter'
// @ts-expect-error It has no types.
import terminology from 'textlint-rule-terminology'
import { describe, expect, it } from 'vitest'
import { ROOT } from '../support/packed.js'

// Readers are in a hurry, and their English may be basic. So the documents need short sentences, and one term per thing.

const MAX_WORDS = 25
const MAX_AVERAGE_WORDS = 15

/** The term to write, and the terms not to write. */
const TERMS: readonly (readonly [write: string, not: string])[] = [
  ['re-split', 're-?cut'],
  ['again', 'anew'],
  ['result', 'verdict'],
  ['signed message', 'string to sign|signing string'],
  ['captured request', 'request capture'],
  ['raw body', 'raw payload'],
  ['if', 'whoever|whatever|whichever'],
  ['fix', 'mend'],
  ['lowercase', 'lower-case|lower case'],
  ['uppercase', 'upper-case|upper case'],
  ['white space', 'whitespace'],
  ['Node', 'Node\\.?js'],
]

const DOCUMENTS = [
  ...readdirSync(ROOT).filter((name) => name.endsWith('.md')),
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md') && !/node_modules|^site\//.test(path))
    .map((path) => `docs/${path}`),
]

const lengths: number[] = []

/** The part of a node of the syntax tree that the word count uses. */
interface Node {
  type: string
  value?: string
  children?: readonly Node[]
}

/** Reports sentences with too many words. A code span counts as one word. */
const sentenceLength: TextlintRuleModule = ({ Syntax, RuleError, report }) => {
  const check = (paragraph: TxtParagraphNode) => {
    for (const sentence of splitAST(paragraph as never).children) {
      if (sentence.type !== SentenceSplitterSyntax.Sentence) continue
      const words = countWords(sentence as Node)
      lengths.push(words)
      if (words > MAX_WORDS)
        report(sentence as unknown as TxtNode, new RuleError(`${words} words. Split the sentence.`))
    }
  }
  return { [Syntax.Paragraph]: check, [Syntax.TableCell]: (cell) => check(cell as unknown as TxtParagraphNode) }
}

function countWords({ type, value = '', children = [] }: Node): number {
  if (type === 'Code') return 1
  const words = value.split(/\s+/).filter((word) => /\w/.test(word))
  return children.reduce((sum, child) => sum + countWords(child), words.length)
}

async function lint(path: string): Promise<string[]> {
  const { messages } = await new TextlintKernel().lintText(readFileSync(join(ROOT, path), 'utf8'), {
    filePath: path,
    ext: '.md',
    plugins: [{ pluginId: 'markdown', plugin: markdown as never }],
    rules: [
      { ruleId: 'sentence-length', rule: sentenceLength },
      {
        ruleId: 'terminology',
        rule: terminology,
        options: { defaultTerms: false, terms: TERMS.map(([write, not]) => [not, write]) },
      },
    ],
  })
  return messages.map(({ line, message }) => `${path}:${line} ${message}`)
}

describe('the prose', () => {
  it.each(DOCUMENTS)('of %s has short sentences and one term per thing', async (path) => {
    expect(await lint(path)).toEqual([])
  })

  it(`has at most ${MAX_AVERAGE_WORDS} words per sentence on average`, () => {
    const average = lengths.reduce((sum, length) => sum + length, 0) / lengths.length
    expect(lengths.length).toBeGreaterThan(500)
    expect(average).toBeLessThanOrEqual(MAX_AVERAGE_WORDS)
  })
})
