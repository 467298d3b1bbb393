import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { createProject, removeProjects } from '../../docs/recipes/recipes.js'
import { codeBlocks } from '../../support/code-blocks.js'
import { ROOT } from '../../support/packed.js'
import { freePort } from '../../support/servers.js'

afterAll(removeProjects)

it('the quickstart of the README prints what it says when pasted', async () => {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8')
  const [handler = ''] = codeBlocks(readme, 'js')
  // The project has the packages that the first block installs.
  const [, script = ''] = codeBlocks(readme, 'sh')
  const [shown = ''] = codeBlocks(readme, 'text')
  const project = createProject()
  const port = String(await freePort())
  writeFileSync(join(project, 'server.mjs'), handler.replace('3000', port))
  const printed = execFileSync('sh', ['-c', `${script.replace('3000', port)}\nkill $!`], {
    cwd: project,
    encoding: 'utf8',
  })
  const lines = printed.split(/\r?\n/)
  // The lines are in this order, among others.
  const places = shown.split('\n').map((line) => lines.indexOf(line))
  expect(places.length).toBeGreaterThanOrEqual(2)
  expect(places).toEqual([...places].sort((one, other) => one - other))
  expect(places[0], printed).toBeGreaterThanOrEqual(0)
})
