import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { isInstalled } from '../support/programs.js'

const DEMO = fileURLToPath(new URL('../../docs/demo/demo.js', import.meta.url))

it('the demo gets the answers that it expects', () => {
  const output = execFileSync(process.execPath, [DEMO], { encoding: 'utf8' })
  expect(output).toContain('All 13 answers are the expected ones.')
  expect(output.match(/as expected$/gm)).toHaveLength(13)
})

it.runIf(isInstalled('curl'))('the demo that serves prints a line to paste, which verifies once', async () => {
  const demo = spawn(process.execPath, [DEMO, '--serve'], { stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    let printed = ''
    for await (const chunk of demo.stdout.iterator({ destroyOnReturn: false })) {
      printed += chunk
      if (printed.includes('It answers 204.')) break
    }
    const line = /^curl .*$/m.exec(printed)?.[0] ?? ''
    const answers = execFileSync('sh', ['-c', `${line}; ${line}`], { encoding: 'utf8', stdio: 'pipe' })
    expect(answers.match(/^HTTP\/1\.1 \d+/gm)).toEqual(['HTTP/1.1 204', 'HTTP/1.1 401'])
  } finally {
    demo.kill()
    await once(demo, 'exit')
  }
})
