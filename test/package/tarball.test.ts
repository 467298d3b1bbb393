import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ROOT, sharedInstall } from '../support/packed.js'

// What a user gets from `npm install`.

const folder = sharedInstall()
const installed = join(folder, 'node_modules/inbound-webhook-auth')

describe('the tarball', () => {
  it('holds what users need and nothing else', () => {
    expect(readdirSync(installed).sort()).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'SECURITY.md',
      'dist',
      'docs',
      'package.json',
    ])
    expect(readdirSync(join(installed, 'docs')).sort()).toEqual([
      'command-line.md',
      'nonce-stores.md',
      'recipes.md',
      'scaling.md',
      'senders.md',
      'troubleshooting',
      'troubleshooting.md',
      'vectors.json',
    ])
  })

  it('has no dependencies', () => {
    const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
    expect(manifest.dependencies).toBeUndefined()
    expect(manifest.peerDependencies).toBeUndefined()
    expect(readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual([
      'inbound-webhook-auth',
    ])
  })

  it("imports only its own files, and Node's modules by their node: names", () => {
    for (const file of readdirSync(join(installed, 'dist')).filter((name) => /\.c?js$/.test(name))) {
      const source = readFileSync(join(installed, 'dist', file), 'utf8')
      const imported = [...source.matchAll(/\bfrom "([^"]+)"|\brequire\('([^']+)'\)/g)].map(
        (match) => match[1] ?? match[2],
      )
      expect(imported.filter((name) => !/^(node:|\.\/)/.test(name ?? ''))).toEqual([])
    }
  })
})

describe('the command', () => {
  it('is installed, and knows its version', () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
    const command = join(folder, 'node_modules/.bin/inbound-webhook-auth')
    expect(execFileSync(command, ['--version'], { cwd: folder, encoding: 'utf8' })).toBe(`${version}\n`)
  })
})
