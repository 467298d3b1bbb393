import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { codeBlocks } from '../support/code-blocks.js'
import { ROOT } from '../support/packed.js'
import { isInstalled } from '../support/programs.js'
import { freePort } from '../support/servers.js'
import { createProject, PROGRAMS, removeProjects } from './recipes.js'

afterAll(removeProjects)

it.runIf(isInstalled('the frameworks of the recipes', PROGRAMS.frameworks))(
  'the quickstart of the README works when pasted: the handler keeps the specification',
  async () => {
    const readme = readFileSync(join(ROOT, 'README.md'), 'utf8')
    const [handler = ''] = codeBlocks(readme, 'js')
    const [script = ''] = codeBlocks(readme, 'sh')
    // The project has both packages already.
    const [install = '', ...commands] = script.split('\n')
    expect(install).toBe('npm install inbound-webhook-auth express')
    const project = createProject()
    writeFileSync(join(project, 'server.mjs'), handler)
    const port = String(await freePort())
    const printed = execFileSync('sh', ['-c', `${commands.join('\n').replace('3000', port)}\nkill $!`], {
      cwd: project,
      env: { ...process.env, PORT: port },
      encoding: 'utf8',
    })
    expect(printed).toMatch(/\n(\d+) of \1: this endpoint keeps the specification\.\n/)
  },
)
