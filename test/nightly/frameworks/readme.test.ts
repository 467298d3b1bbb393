import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { codeBlocks } from '../../support/code-blocks.js'
import { PACKAGES, ROOT, sharedInstall } from '../../support/packed.js'
import { freePort } from '../../support/servers.js'

// Pastes every block of the README into an empty folder. The packed packages stand for the published ones.

const readme = readFileSync(join(ROOT, 'README.md'), 'utf8')
const folder = mkdtempSync(join(tmpdir(), 'readme-'))
afterAll(() => rmSync(folder, { recursive: true }))

const paste = (script: string) => execFileSync('sh', ['-c', script], { cwd: folder, encoding: 'utf8', stdio: 'pipe' })

it('prints what the README says when every block is pasted', async () => {
  expect([...readme.matchAll(/^```(\w+)$/gm)].map(([, language]) => language)).toEqual(['sh', 'js', 'sh', 'text'])
  const [install = '', script = ''] = codeBlocks(readme, 'sh')
  const [handler = ''] = codeBlocks(readme, 'js')
  const [shown = ''] = codeBlocks(readme, 'text')
  const port = String(await freePort())

  // npx would download the tools, which are not published while the tests run.
  const tarballs = PACKAGES.map((name) => join(sharedInstall(), `${name}.tgz`)).join(' ')
  paste(install.replace('inbound-webhook-auth', tarballs))
  writeFileSync(join(folder, 'server.mjs'), handler.replace('3000', port))
  const printed = paste(`${script.replace('3000', port)}\nkill $!`).split(/\r?\n/)
  // The lines are in this order, among others.
  const places = shown.split('\n').map((line) => printed.indexOf(line))
  expect(places.length).toBeGreaterThanOrEqual(2)
  expect(places).toEqual(places.toSorted((one, other) => one - other))
  expect(places[0], printed.join('\n')).toBeGreaterThanOrEqual(0)
})
