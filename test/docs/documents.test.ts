import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { codeBlocks } from '../support/code-blocks.js'
import { ROOT } from '../support/packed.js'

describe('the README', () => {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8')

  it('names every reason and every code', () => {
    const source = readFileSync(join(ROOT, 'src/result.ts'), 'utf8')
    const reasons = [...source.matchAll(/^ {2}\| '(\w+)'$/gm)].map(([, reason]) => reason)
    expect(reasons).toHaveLength(6)
    for (const name of [...reasons, 'ERR_NONCE_STORE', 'ERR_NONCE_STORE_FULL', 'ERR_INVALID_ARGUMENT']) {
      expect(readme).toContain(`\`${name}\``)
    }
  })
})

describe('SECURITY.md', () => {
  it('names each test of what is not protected, and only such', () => {
    const tests = readFileSync(join(ROOT, 'test/security.test.ts'), 'utf8')
    const named = [...readFileSync(join(ROOT, 'SECURITY.md'), 'utf8').matchAll(/^\|.*\| `([^`]+)` \|$/gm)].map(
      ([, name]) => name,
    )
    expect(named).toEqual([...tests.matchAll(/^it\('([^']+)'/gm)].map(([, name]) => name))
  })
})

describe('the guide to nonce stores', () => {
  const guide = readFileSync(join(ROOT, 'docs/nonce-stores.md'), 'utf8')
  it.each(readdirSync(join(ROOT, 'docs/stores')))('shows docs/stores/%s, which is tested', (file) => {
    expect(codeBlocks(guide, 'js')).toContain(readFileSync(join(ROOT, 'docs/stores', file), 'utf8').trimEnd())
  })
})

describe('the guide to senders', () => {
  const guide = readFileSync(join(ROOT, 'docs/senders.md'), 'utf8')
  it.each(readdirSync(join(ROOT, 'docs/senders')))('shows docs/senders/%s, which is tested', (file) => {
    const language = file.replace(/^.*\.m?/, '')
    expect(guide).toContain(`\n\`\`\`${language}\n${readFileSync(join(ROOT, 'docs/senders', file), 'utf8')}\`\`\`\n`)
  })
})

describe('the reference', () => {
  const headingsOf = (page: string) =>
    [...readFileSync(join(ROOT, 'docs/reference', page), 'utf8').matchAll(/^### (\w+)$/gm)].map(([, name]) => name)

  it('has a heading per reason, in the order of the rules', () => {
    const source = readFileSync(join(ROOT, 'src/result.ts'), 'utf8')
    const reasons = [...source.matchAll(/^ {2}\| '(\w+)'$/gm)].map(([, reason]) => reason)
    expect(reasons).toHaveLength(6)
    expect(headingsOf('errors.md')).toEqual(reasons)
  })

  it('has a heading per finding code', () => {
    const source = readFileSync(join(ROOT, 'src/diagnose/finding.ts'), 'utf8')
    const codes = [...source.matchAll(/^ {2}\| '(\w+)'$/gm)].map(([, code]) => code)
    expect(codes.length).toBeGreaterThan(30)
    expect(headingsOf('findings.md').toSorted()).toEqual(codes.toSorted())
  })
})
