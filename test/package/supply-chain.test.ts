import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { bundledIn } from '../../tools/src/licence-notices.js'
import { PACKAGES, ROOT, sharedInstall } from '../support/packed.js'

/** `fflate@0.8.3` is `fflate`. */
const nameOf = (reference: string) => reference.replace(/@[^@]*$/, '')

const folder = sharedInstall()
const installed = (name: string) => join(folder, 'node_modules', name)
const LIBRARY = join(installed('inbound-webhook-auth'), 'dist')
const TOOLS = join(installed('inbound-webhook-tools'), 'dist')

describe.each(PACKAGES)('the installed %s', (name) => {
  it('runs no script while it is installed', () => {
    const { scripts } = JSON.parse(readFileSync(join(installed(name), 'package.json'), 'utf8'))
    const whileInstalling = ['preinstall', 'install', 'postinstall', 'preprepare', 'prepare', 'postprepare']
    expect(Object.keys(scripts).filter((script) => whileInstalling.includes(script))).toEqual([])
    expect(readdirSync(installed(name))).not.toContain('binding.gyp')
  })
})

describe('the packages that are bundled', () => {
  /** Returns the files that contain other packages, except pages. esbuild writes the path of each file, and the build each licence. */
  const bundling = (dist: string) =>
    readdirSync(dist).filter((name) => {
      const text = /\.c?js$/.test(name) ? readFileSync(join(dist, name), 'utf8') : ''
      return /^\/\/ (\.\.\/)*node_modules\//m.test(text) || bundledIn(text).size > 0
    })

  it('are none in the library, and one in the command line', () => {
    expect(bundling(LIBRARY)).toEqual([])
    expect(bundling(TOOLS)).toEqual(['cli.js'])
  })

  it('have their licence in the command line', () => {
    const bundle = readFileSync(join(TOOLS, 'cli.js'), 'utf8')
    expect([...bundledIn(bundle)].map(nameOf)).toEqual(['fastest-levenshtein'])
    expect(bundle).toContain('Copyright (c) 2020 Kasper Unn Weihe\n\nPermission is hereby granted')
  })

  it('have their licences in the workbench', () => {
    const bundle = readFileSync(join(TOOLS, 'workbench.html'), 'utf8')
    expect([...bundledIn(bundle)].map(nameOf).sort()).toEqual(['@noble/ed25519', '@noble/hashes', 'fflate'])
    for (const author of ['Paul Miller', 'Arjun Barrett']) {
      expect(bundle).toMatch(new RegExp(`Copyright \\(c\\) \\d{4} ${author}.*(\n|\\\\n)+Permission is hereby granted`))
    }
  })
})

describe('the release workflow', () => {
  const workflow = readFileSync(join(ROOT, '.github/workflows/release.yml'), 'utf8')

  const [build = '', test = '', publish = ''] = workflow.split(/^ {2}(?:test|publish):$/m)

  it('builds and tests without rights', () => {
    expect(build).toMatch(/^permissions: \{\}$/m)
    for (const job of [build, test]) expect(job).not.toMatch(/: write$/m)
    expect(test).toMatch(/PACKAGE_TARBALLS/)
  })

  it('builds where no test runs, and publishes these tarballs if the tested ones have the same bytes', () => {
    expect(build).not.toMatch(/npm test|vitest/)
    expect(publish).toMatch(/^ {4}needs: \[build, test, nightly\]$/m)
    const [before = ''] = publish.split('npm publish')
    for (const job of ['build', 'test']) {
      const [, name] = new RegExp(`(\\w+): \\$\\{\\{ needs.${job}.outputs.sha256 \\}\\}`).exec(before) ?? []
      expect(before).toContain(`test "$sha256" = "$${name}"\n`)
    }
    const sum = "$(sha256sum *.tgz | sha256sum | cut -d ' ' -f 1)"
    expect(before).toContain(`sha256=${sum}\n`)
    for (const job of [build, test]) {
      expect(job).toMatch(/^ {6}sha256: \$\{\{ steps\.pack\.outputs\.sha256 \}\}$/m)
      expect(job).toContain(`echo "sha256=${sum}" >> "$GITHUB_OUTPUT"`)
    }
  })

  it('publishes the tested tarballs, and runs no code of a dependency where it may sign', () => {
    const granted = [...publish.matchAll(/^ {6}([a-z-]+): write$/gm)].map(([, name]) => name)
    expect(granted).toEqual(['contents', 'id-token'])
    expect(publish).toMatch(/for file in \*\.tgz; do\n.*\n.*\n +npm publish "\.\/\$file" --ignore-scripts --provenance/)
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

  it('stops each job that hangs', () => {
    const jobs = readdirSync(folder).flatMap((file) =>
      readFileSync(join(folder, file), 'utf8')
        .split(/^ {2}(?=[\w-]+:$)/m)
        .filter((job) => /^ {4}runs-on:/m.test(job)),
    )
    expect(jobs.length).toBe(9)
    for (const job of jobs) expect(job).toMatch(/^ {4}timeout-minutes: \d+$/m)
  })

  it('pins each action by its commit, in one version', () => {
    expect(uses.filter((action) => !/^[\w/-]+@[0-9a-f]{40} # v[\d.]+$/.test(action))).toEqual([])
    const versions = new Set(uses)
    expect(new Set([...versions].map((action) => action.split('@')[0])).size).toBe(versions.size)
  })
})
