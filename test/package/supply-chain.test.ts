import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { entriesOf, ROOT, sharedInstall } from '../support/packed.js'

const folder = sharedInstall()
const installed = join(folder, 'node_modules/inbound-webhook-auth')
const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))

describe('the installed package', () => {
  it('runs no script while it is installed', () => {
    const whileInstalling = ['preinstall', 'install', 'postinstall', 'preprepare', 'prepare', 'postprepare']
    expect(Object.keys(manifest.scripts).filter((name) => whileInstalling.includes(name))).toEqual([])
    expect(readdirSync(installed)).not.toContain('binding.gyp')
  })

  it('has four files per entry in dist and the command line', () => {
    const perEntry = [...entriesOf(folder).values()].flatMap((targets) =>
      [targets.import, targets.require].flatMap(({ types, default: code }) => [types, code]),
    )
    const files = [...perEntry, ...Object.values<string>(manifest.bin)].map((path) =>
      path.replace(/^(\.\/)?dist\//, ''),
    )
    // Declarations that entries share have a hash in their names.
    const isShared = (name: string) => /^[a-z-]+-[\w-]{8}\.d\.c?ts$/.test(name)
    const found = readdirSync(join(installed, 'dist')).filter((name) => !isShared(name))
    expect(found.sort()).toEqual(files.sort())
  })

  it('has a list of its parts (SBOM) with no dependency in it', () => {
    const json = execFileSync('npm', ['sbom', '--omit', 'dev', '--sbom-format', 'cyclonedx'], {
      cwd: ROOT,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const { metadata, components } = JSON.parse(json)
    expect(metadata.component.purl).toBe(`pkg:npm/${manifest.name}@${manifest.version}`)
    expect(components).toEqual([])
  })
})

describe('the release workflow', () => {
  const workflow = readFileSync(join(ROOT, '.github/workflows/release.yml'), 'utf8')

  it.each([
    'npm audit signatures',
    'npm test',
    'npx vitest run test/package/reproducible.test.ts',
    'npm sbom --omit dev --sbom-format cyclonedx',
    'npm publish --provenance',
  ])('runs %s', (command) => {
    expect(workflow).toMatch(new RegExp(`run: ${command}`))
  })

  it('may only write the release and sign', () => {
    expect(workflow).toMatch(/^permissions: \{\}$/m)
    const granted = [...workflow.matchAll(/^ {6}([a-z-]+): write$/gm)].map(([, name]) => name)
    expect(granted).toEqual(['contents', 'id-token'])
  })
})
