import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { meaningsIn } from '../../docs/generate/findings.js'
import { generatePages, markdownBelow } from '../../docs/generate/pages.js'
import { ROOT } from '../../test/support/packed.js'
import { replayFinding } from '../src/cli/listen/replay-finding.js'
import { diagnose } from '../src/diagnose/index.js'
import { call } from './cli/call.js'

// To write the generated pages again: npm run docs:generate

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const pages = await generatePages({
  diagnose,
  helpOf: async (command) => (await call([command, '--help'])).text,
  replayFinding: () => replayFinding('the same nonce 1 s ago', undefined),
})

describe('the generated pages', () => {
  it.each([...pages.keys()])('%s is what the program says now', (path) => {
    expect(read(path)).toBe(pages.get(path))
  })

  it('are all pages that say so in their first line', () => {
    const marked = markdownBelow('docs').filter((path) => /^<!-- (Generated|Parts)/.test(read(path)))
    expect(marked.length).toBeGreaterThan(25)
    // In SECURITY.md, only the column of tests is generated.
    const others = ['SECURITY.md', 'docs/operate/failures.svg']
    expect([...pages.keys()].sort()).toEqual([...marked, ...others].sort())
  })
})

it('a code of a finding may have a comment of several lines, but not none', () => {
  const source = "  /** One. */\n  | 'a'\n  /**\n   * Two\n   * lines.\n   */\n  | 'b'\n"
  expect([...meaningsIn(source)]).toEqual([
    ['a', 'One.'],
    ['b', 'Two lines.'],
  ])
  expect(() => meaningsIn(`${source}  | 'c'\n`)).toThrow('c has no comment')
})
