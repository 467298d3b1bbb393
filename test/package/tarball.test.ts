import { execSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { pathsBelow } from '../support/files.js'
import { NPM, ROOT, sharedInstall } from '../support/packed.js'
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
const installed = join(folder, 'node_modules/inbound-webhook-auth')

describe('the tarball', () => {
  it('holds what users need and nothing else', () => {
    expect(readdirSync(installed).sort()).toEqual([
      'CHANGELOG.md',
      'CONTRIBUTING.md',
      'LICENSE',
      'README.md',
      'SECURITY.md',
      'dist',
      'docs',
      'package.json',
    ])
    expect(readdirSync(join(installed, 'docs')).sort()).toEqual([
      'benchmarks.svg',
      'debug',
      'observability',
      'operate',
      'overload.svg',
      'overview.svg',
      'receive',
      'reference',
      'scale.svg',
      'send',
      'start',
      'trust',
      'vectors.json',
    ])
  })

  it('has no link to a file or a heading that it does not hold', () => {
    const documents = pathsBelow(installed).filter((path) => path.endsWith('.md'))
    expect(documents).toContain('README.md')
    const broken = documents.flatMap((path) =>
      linksOf(readFileSync(join(installed, path), 'utf8'))
        .filter((link) => !leadsSomewhere(join(installed, path), link))
        .map((link) => `${path}: ${link}`),
    )
    expect(broken).toEqual([])
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

const PUBLISHABLE = {
  repository: { type: 'git', url: 'git+https://github.com/someone/inbound-webhook-auth.git' },
  homepage: 'https://someone.github.io/inbound-webhook-auth/',
  bugs: { url: 'https://github.com/someone/inbound-webhook-auth/issues', email: 'security@someone.example' },
}

describe('publishing', () => {
  it('is refused while package.json does not say where the project lives, with what to fill in', () => {
    expect(findMissing(PUBLISHABLE)).toEqual([])
    expect(findMissing({ ...PUBLISHABLE, homepage: undefined })).toEqual([
      'package.json has no valid "homepage". Add "homepage", for example "homepage": "https://OWNER.github.io/inbound-webhook-auth/"',
    ])
    const namesOf = (manifest: Record<string, unknown>) =>
      findMissing(manifest).map((line) => /"([\w.]+)"/.exec(line)?.[1])
    expect(namesOf({})).toEqual(['repository.url', 'homepage', 'bugs.url', 'bugs.email'])
  })

  it.each([
    ['bugs without a contact', { bugs: { url: PUBLISHABLE.bugs.url } }, 'bugs.email'],
    ['a contact that is not an address', { bugs: { ...PUBLISHABLE.bugs, email: 'nobody' } }, 'bugs.email'],
    ['the contact of the example', { bugs: { ...PUBLISHABLE.bugs, email: 'security@OWNER.example' } }, 'bugs.email'],
    ['an empty address of bugs', { bugs: { ...PUBLISHABLE.bugs, url: '' } }, 'bugs.url'],
    ['a repository without an address', { repository: { type: 'git' } }, 'repository.url'],
    ['a homepage that is not an address', { homepage: true }, 'homepage'],
  ])('is refused with %s', (_, change, path) => {
    expect(findMissing({ ...PUBLISHABLE, ...change })).toEqual([
      expect.stringContaining(`package.json has no valid "${path}". Add `),
    ])
  })

  it('runs the check of package.json first', () => {
    const { scripts, ...manifest } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
    const [npm, ...args] = [...NPM, 'run', '--silent', 'prepublishOnly'] as const
    const { status, stderr } = spawnSync(npm, args, { cwd: ROOT, encoding: 'utf8' })
    expect(scripts.prepublishOnly).toBe('node test/package/before-publishing.js')
    expect(status).toBe(findMissing(manifest).length === 0 ? 0 : 1)
    for (const line of findMissing(manifest)) expect(stderr).toContain(line)
  })
})

describe('the command', () => {
  it('is installed, and knows its version', () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
    const command = join(folder, 'node_modules/.bin/inbound-webhook-auth')
    // In a shell, because the command is a script of the shell on Windows.
    expect(execSync(`"${command}" --version`, { cwd: folder, encoding: 'utf8' })).toBe(`${version}\n`)
  })

  it('serves the workbench of the package', async () => {
    const program = spawn(process.execPath, [join(installed, 'dist/cli.js'), 'workbench', '--no-open', '--json'])
    try {
      const [printed] = await once(program.stdout, 'data')
      const response = await fetch(JSON.parse(String(printed)).url)
      expect(await response.text()).toBe(readFileSync(join(installed, 'dist/workbench.html'), 'utf8'))
    } finally {
      program.kill()
    }
  })
})
