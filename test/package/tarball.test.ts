import { execSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { rewriteLinks } from '../../docs/generate/packed-links.js'
import { built } from '../support/built.js'
import { pathsBelow } from '../support/files.js'
import { NPM, PACKAGES, ROOT, sharedInstall } from '../support/packed.js'
import { findMissing } from './before-publishing.js'

// Checks the files that a user gets from `npm install`.

/** The targets of links, images and HTML sources that are not on the web. Code blocks have none. */
function linksOf(markdown: string): string[] {
  const text = markdown.replace(/^```[\s\S]*?^```/gm, '')
  return [...text.matchAll(/\]\(([^()\s]+)\)|\b(?:href|src)="([^"]+)"/g)]
    .map(([, link, attribute]) => link ?? attribute ?? '')
    .filter((link) => !/^(https?|mailto):/.test(link))
}

function leadsSomewhere(document: string, link: string): boolean {
  const [path = '', anchor] = link.split('#')
  const target = path === '' ? document : join(dirname(document), path)
  if (!existsSync(target)) return false
  return anchor === undefined || anchorsOf(readFileSync(target, 'utf8')).includes(anchor)
}

/** The anchors of headings, as GitHub writes them, and of elements with an `id`. */
function anchorsOf(markdown: string): string[] {
  const headings = [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-'),
  )
  return [...headings, ...[...markdown.matchAll(/\bid="([^"]+)"/g)].map(([, id = '']) => id)]
}

const folder = sharedInstall()
const library = join(folder, 'node_modules/inbound-webhook-auth')
const tools = join(folder, 'node_modules/inbound-webhook-tools')

describe('the tarballs', () => {
  it('hold what users need and nothing else', () => {
    expect(readdirSync(library).sort()).toEqual([
      ...['CHANGELOG.md', 'LICENSE', 'README.md', 'SECURITY.md', 'dist', 'docs', 'package.json'],
    ])
    expect(readdirSync(join(library, 'docs')).sort()).toEqual([
      ...['observability', 'operate', 'receive', 'reference', 'send', 'start'],
    ])
    expect(readdirSync(tools).sort()).toEqual(['LICENSE', 'README.md', 'bin.js', 'dist', 'docs', 'package.json'])
    expect(readdirSync(join(tools, 'docs'))).toEqual(['debug'])
  })

  it('are small', () => {
    const sizeOf = (name: string) => statSync(join(folder, `${name}.tgz`)).size
    expect(sizeOf('inbound-webhook-auth')).toBeLessThanOrEqual(200_000)
    expect(sizeOf('inbound-webhook-tools')).toBeLessThanOrEqual(370_000)
  })

  it.each([library, tools])('%s has no link that leads nowhere', (path) => {
    const documents = pathsBelow(path).filter((file) => file.endsWith('.md'))
    const links = documents.flatMap((file) =>
      linksOf(readFileSync(join(path, file), 'utf8')).map((link) => ({ file, link })),
    )
    expect(links.length).toBeGreaterThan(10)
    expect(links.filter(({ file, link }) => !leadsSomewhere(join(path, file), link))).toEqual([])
  })

  it('have links to the repository in place of files that are not packed', () => {
    const packed = new Set(['README.md', 'docs/start/a.md'])
    const text = [
      ...['[a](docs/start/a.md#b) [folder](docs/start/) ![chart](docs/chart.svg) [test](test/x.test.ts#L1)'],
      ...['[here](#anchor) [web](https://example.com/x)', '```md', '[code](test/x.test.ts)', '```'],
    ].join('\n')
    expect(rewriteLinks('README.md', text, packed, (path) => `https://example.com/blob/v1/${path}`)).toBe(
      [
        ...[
          '[a](docs/start/a.md#b) [folder](docs/start/) [chart](https://example.com/blob/v1/docs/chart.svg) [test](https://example.com/blob/v1/test/x.test.ts#L1)',
        ],
        ...['[here](#anchor) [web](https://example.com/x)', '```md', '[code](test/x.test.ts)', '```'],
      ].join('\n'),
    )
    expect(rewriteLinks('docs/start/a.md', '[README](../../README.md), [test](../../test/x)', packed, undefined)).toBe(
      '[README](../../README.md), test',
    )
  })

  it('have no dependencies, and one version', () => {
    const manifests = [library, tools].map((path) => JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')))
    for (const { dependencies, peerDependencies, optionalDependencies, engines } of manifests) {
      expect(engines).toEqual({ node: '>=20.12' })
      expect([dependencies, peerDependencies, optionalDependencies]).toEqual([undefined, undefined, undefined])
    }
    expect(manifests[0].version).toBe(manifests[1].version)
    const installed = readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.'))
    expect(installed.sort()).toEqual(PACKAGES)
  })

  it.each([library, tools])("%s imports only its own files, and Node's modules by their node: names", (path) => {
    for (const file of readdirSync(join(path, 'dist')).filter((name) => /\.c?js$/.test(name))) {
      const source = readFileSync(join(path, 'dist', file), 'utf8')
      const imported = [
        ...source.matchAll(/^(?:import|export)\b.*? from "([^"]+)"|^import "([^"]+)"|\brequire\("([^"]+)"\)/gm),
      ].map((match) => match[1] ?? match[2] ?? match[3])
      expect(imported.filter((name) => !/^(node:|\.\/)/.test(name ?? ''))).toEqual([])
    }
  })
})

const PUBLISHABLE = {
  repository: { type: 'git', url: 'git+https://github.com/someone/inbound-webhook-auth.git' },
  homepage: 'https://someone.github.io/inbound-webhook-auth/',
  bugs: { url: 'https://github.com/someone/inbound-webhook-auth/issues', email: 'security@someone.example' },
}

describe('publishing', () => {
  it('is refused while package.json does not say where the project lives, with what to fill in', () => {
    expect(findMissing('package.json', PUBLISHABLE)).toEqual([])
    expect(findMissing('package.json', { ...PUBLISHABLE, homepage: undefined })).toEqual([
      'package.json has no valid "homepage". Add "homepage", for example "homepage": "https://OWNER.github.io/inbound-webhook-auth/"',
    ])
    const namesOf = (manifest: Record<string, unknown>) =>
      findMissing('package.json', manifest).map((line) => /"([\w.]+)"/.exec(line)?.[1])
    expect(namesOf({})).toEqual(['repository.url', 'homepage', 'bugs.url', 'bugs.email'])
  })

  it('runs the check of both packages first', () => {
    const missing = ['package.json', 'tools/package.json'].flatMap((file) => {
      const { scripts, ...manifest } = JSON.parse(readFileSync(join(ROOT, file), 'utf8'))
      expect(scripts.prepublishOnly).toMatch(/^node (\.\.\/)?test\/package\/before-publishing\.js$/)
      return findMissing(file, manifest)
    })
    const [npm, ...args] = [...NPM, 'run', '--silent', 'prepublishOnly'] as const
    const { status, stderr } = spawnSync(npm, args, { cwd: ROOT, encoding: 'utf8' })
    expect(status).toBe(missing.length === 0 ? 0 : 1)
    for (const line of missing) expect(stderr).toContain(line)
  })
})

describe('the command', () => {
  it('runs with npx in an empty folder, without the library', () => {
    // npx would also find the command of the clone, in the PATH of this test.
    expect(existsSync(join(folder, 'node_modules/.bin/inbound-webhook-tools'))).toBe(true)
    const empty = mkdtempSync(join(tmpdir(), 'empty-'))
    try {
      const tarball = `--package=${join(folder, 'inbound-webhook-tools.tgz')}`
      const call = ['inbound-webhook-tools', 'check', 'http://127.0.0.1:9/', '--secret-env', 'ABSENT']
      const [npm, ...args] = [...NPM, 'exec', '--offline', '--yes', tarball, '--', ...call] as const
      const { stderr } = spawnSync(npm, args, { cwd: empty, encoding: 'utf8' })
      expect(stderr).toContain('--secret-env is not set')
    } finally {
      rmSync(empty, { recursive: true })
    }
  })

  it('is in a clone, where npx finds it', () => {
    const command = join(ROOT, 'node_modules/.bin/inbound-webhook-tools')
    built('tools/dist/cli.js')
    expect(realpathSync(command)).toBe(join(ROOT, 'tools/bin.js'))
    expect(execSync(`"${command}" --version`, { cwd: ROOT, encoding: 'utf8' })).toMatch(/^\d+\.\d+\.\d+/)
  })

  it('serves the workbench of the package', async () => {
    const program = spawn(process.execPath, [join(tools, 'dist/cli.js'), 'workbench', '--no-open', '--json'])
    try {
      const [printed] = await once(program.stdout, 'data')
      const response = await fetch(JSON.parse(String(printed)).url)
      expect(await response.text()).toBe(readFileSync(join(tools, 'dist/workbench.html'), 'utf8'))
    } finally {
      program.kill()
    }
  })
})
