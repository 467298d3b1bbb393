import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { ROOT } from '../../support/packed.js'

// A second build, in another folder, gives the same bytes. So anybody can check what was published.

const folder = mkdtempSync(join(tmpdir(), 'a-folder-with-another-name-'))
afterAll(() => rmSync(folder, { recursive: true }))

function hashesOf(dist: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(dist)
      .sort()
      .map((name) => [
        name,
        createHash('sha256')
          .update(readFileSync(join(dist, name)))
          .digest('hex'),
      ]),
  )
}

it('two builds of the same sources give the same bytes', () => {
  const sources = ['src', 'tools', 'docs/debug', 'LICENSE', 'package.json', 'tsconfig.json', 'tsup.config.ts']
  for (const name of sources) cpSync(join(ROOT, name), join(folder, name), { recursive: true })
  mkdirSync(join(folder, 'node_modules'))
  for (const name of readdirSync(join(ROOT, 'node_modules'))) {
    const [from, to] = [join(ROOT, 'node_modules', name), join(folder, 'node_modules', name)]
    // The bundled command line has paths of sources in comments, so the path must not be a link.
    if (name === 'fastest-levenshtein') cpSync(from, to, { recursive: true })
    else symlinkSync(from, to)
  }
  execFileSync('npm', ['run', '--silent', 'build', '--', '--silent'], { cwd: folder, stdio: 'pipe' })

  for (const [dist, files] of [
    ['dist', 30],
    ['tools/dist', 5],
  ] as const) {
    const second = hashesOf(join(folder, dist))
    expect(Object.keys(second).length).toBeGreaterThan(files)
    expect(second).toEqual(hashesOf(join(ROOT, dist)))
  }
})
