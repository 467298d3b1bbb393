import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { bundledIn } from '../../tools/src/licence-notices.js'
import { entriesOf, ROOT, sharedInstall } from '../support/packed.js'

/** `fflate@0.8.3` is `fflate`. */
const nameOf = (reference: string) => reference.replace(/@[^@]*$/, '')

const folder = sharedInstall()
const installed = join(folder, 'node_modules/inbound-webhook-auth')
const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))

describe('the installed package', () => {
  it('runs no script while it is installed', () => {
    const whileInstalling = ['preinstall', 'install', 'postinstall', 'preprepare', 'prepare', 'postprepare']
    expect(Object.keys(manifest.scripts).filter((name) => whileInstalling.includes(name))).toEqual([])
    expect(readdirSync(installed)).not.toContain('binding.gyp')
  })

  it('has four files per entry in dist, the command line and the workbench', () => {
    const perEntry = [...entriesOf(folder).values()].flatMap((targets) =>
      [targets.import, targets.require].flatMap(({ types, default: code }) => [types, code]),
    )
    const files = [...perEntry, ...Object.values<string>(manifest.bin)].map((path) =>
      path.replace(/^(\.\/)?dist\//, ''),
    )
    // Declarations that entries share have a hash in their names.
    const isShared = (name: string) => /^[a-z-]+\.d-[\w-]{8}\.d\.c?ts$/.test(name)
    const found = readdirSync(join(installed, 'dist')).filter((name) => !isShared(name))
    expect(found.sort()).toEqual([...files, 'workbench.html'].sort())
  })

  it('has the licence of the package that its command line bundles', () => {
    const bundle = readFileSync(join(installed, 'dist/cli.js'), 'utf8')
    expect([...bundledIn(bundle)].map(nameOf)).toEqual(['fastest-levenshtein'])
    expect(bundle).toContain('Copyright (c) 2020 Kasper Unn Weihe\n\nPermission is hereby granted')
  })

  it('has the licences of the packages that the workbench bundles', () => {
    const bundle = readFileSync(join(installed, 'dist/workbench.html'), 'utf8')
    expect([...bundledIn(bundle)].map(nameOf).sort()).toEqual(['@noble/hashes', 'fflate'])
    for (const author of ['Paul Miller', 'Arjun Barrett']) {
      expect(bundle).toMatch(new RegExp(`Copyright \\(c\\) \\d{4} ${author}.*(\n|\\\\n)+Permission is hereby granted`))
    }
  })

  it('bundles no other package', () => {
    // esbuild writes the path of each file that it bundles into a comment.
    const bundling = readdirSync(join(installed, 'dist')).filter((name) =>
      /^\/\/ (\.\.\/)*node_modules\//m.test(readFileSync(join(installed, 'dist', name), 'utf8')),
    )
    expect(bundling).toEqual(['cli.js'])
  })
})

describe('the release workflow', () => {
  const workflow = readFileSync(join(ROOT, '.github/workflows/release.yml'), 'utf8')

  const [build = '', test = '', publish = ''] = workflow.split(/^ {2}(?:test|publish):$/m)

  it('builds and tests without rights', () => {
    expect(build).toMatch(/^permissions: \{\}$/m)
    for (const job of [build, test]) expect(job).not.toMatch(/: write$/m)
    expect(test).toMatch(/PACKAGE_TARBALL/)
  })

  it('builds where no test runs, and publishes this tarball if the tested one has the same bytes', () => {
    expect(build).not.toMatch(/npm test|vitest/)
    expect(publish).toMatch(/^ {4}needs: \[build, test, nightly\]$/m)
    const [before = ''] = publish.split('npm publish')
    for (const job of ['build', 'test']) {
      const [, name] = new RegExp(`(\\w+): \\$\\{\\{ needs.${job}.outputs.sha256 \\}\\}`).exec(before) ?? []
      expect(before).toContain(`echo "$${name}  package.tgz" | sha256sum --check --strict`)
    }
    for (const job of [build, test]) {
      expect(job).toMatch(/^ {6}sha256: \$\{\{ steps\.pack\.outputs\.sha256 \}\}$/m)
      expect(job).toContain('echo "sha256=$(sha256sum package.tgz | cut -d \' \' -f 1)" >> "$GITHUB_OUTPUT"')
    }
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

  it('leaves no token in the folder of its sources', () => {
    const steps = readdirSync(folder).flatMap((file) =>
      readFileSync(join(folder, file), 'utf8')
        .split(/^ {6}- /m)
        .filter((step) => step.startsWith('uses: actions/checkout@')),
    )
    expect(steps.length).toBeGreaterThan(4)
    for (const step of steps) expect(step).toContain('\n          persist-credentials: false\n')
  })

  it('pins each action by its commit, in one version', () => {
    expect(uses.filter((action) => !/^[\w/-]+@[0-9a-f]{40} # v[\d.]+$/.test(action))).toEqual([])
    const versions = new Set(uses)
    expect(new Set([...versions].map((action) => action.split('@')[0])).size).toBe(versions.size)
  })
})
