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
    // The workbench is built with the dependencies of the site, so it is missing if they are not installed.
    const found = readdirSync(join(installed, 'dist')).filter((name) => !isShared(name) && name !== 'workbench.html')
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

  const [build = '', publish = ''] = workflow.split(/^ {2}publish:$/m)

  it('builds and tests without rights', () => {
    expect(build).toMatch(/^permissions: \{\}$/m)
    expect(build).not.toMatch(/: write$/m)
    expect(build).toMatch(/PACKAGE_TARBALL/)
  })

  it('publishes the tested tarball, and runs no code of a dependency where it may sign', () => {
    const granted = [...publish.matchAll(/^ {6}([a-z-]+): write$/gm)].map(([, name]) => name)
    expect(granted).toEqual(['contents', 'id-token'])
    expect(publish).toMatch(/npm publish \S+\.tgz --ignore-scripts --provenance/)
    expect(publish).not.toMatch(/npm (ci|install|test|run)|checkout/)
  })
})

describe('every workflow', () => {
  const folder = join(ROOT, '.github/workflows')
  const uses = readdirSync(folder).flatMap((file) =>
    [...readFileSync(join(folder, file), 'utf8').matchAll(/uses: (.*)$/gm)].map(([, action]) => String(action)),
  )

  it('pins each action by its commit, in one version', () => {
    expect(uses.filter((action) => !/^[\w/-]+@[0-9a-f]{40} # v[\d.]+$/.test(action))).toEqual([])
    const versions = new Set(uses)
    expect(new Set([...versions].map((action) => action.split('@')[0])).size).toBe(versions.size)
  })
})
