import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { temporaryFolder } from '../resources.js'
import { call } from './call.js'
import { createOpener } from './opener.js'

const folder = temporaryFolder()

/** A page that is not UTF-8, because the command must not change a byte. */
const PAGE = Buffer.from('<title>\xff</title>', 'latin1')
const packageFolder = join(folder, 'package')
mkdirSync(join(packageFolder, 'dist'), { recursive: true })
writeFileSync(join(packageFolder, 'dist/workbench.html'), PAGE)

it('the workbench says how to build it, if it is not built', async () => {
  const { exitCode, said } = await call(['workbench', '--no-open'], { packageFolder: join(folder, 'empty') })
  expect([exitCode, said]).toEqual([2, expect.stringContaining('npm run build')])
})

describe('the workbench', () => {
  const urlOf = (text: string) => /http:\/\/127\.0\.0\.1:\d+\//.exec(text)?.[0] ?? ''

  it('is served on 127.0.0.1, alone, and unchanged', async () => {
    const { exitCode, text } = await call(['workbench', '--no-open'], { packageFolder })
    expect(exitCode).toBe(0)
    const response = await fetch(urlOf(text))
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(Buffer.from(await response.arrayBuffer())).toEqual(PAGE)
    expect((await fetch(`${urlOf(text)}package.json`)).status).toBe(404)
    expect((await fetch(urlOf(text), { method: 'POST' })).status).toBe(404)
  })

  describe.runIf(process.platform === 'linux')('is opened in the browser', () => {
    const { platform } = process
    afterEach(() => {
      Object.defineProperty(process, 'platform', { value: platform })
    })

    it.each([
      ['linux', 'xdg-open'],
      ['darwin', 'open'],
    ])('on %s by %s', async (system, program) => {
      const opened = createOpener(join(folder, system, program))
      Object.defineProperty(process, 'platform', { value: system })
      const env = { PATH: [join(folder, system), process.env['PATH']].join(delimiter) }
      const { text } = await call(['workbench'], { packageFolder, env })
      await vi.waitFor(() => expect(readFileSync(opened, 'utf8')).toBe(urlOf(text)), 50_000)
    })

    it('on Windows by the program in its own folder, because a folder of somebody else may have one of the same name', async () => {
      const opened = createOpener(join(folder, 'system/explorer.exe'))
      const another = createOpener(join(folder, 'downloads/explorer.exe'))
      Object.defineProperty(process, 'platform', { value: 'win32' })
      const env = { PATH: join(folder, 'downloads'), SystemRoot: join(folder, 'system') }
      const { text } = await call(['workbench'], { packageFolder, env })
      await vi.waitFor(() => expect(readFileSync(opened, 'utf8')).toBe(urlOf(text)), 50_000)
      expect(existsSync(another)).toBe(false)
    })
  })

  it('prints its address where no browser can be started', async () => {
    const none = join(folder, 'none')
    const { exitCode, text } = await call(['workbench'], { packageFolder, env: { PATH: none, SystemRoot: none } })
    expect([exitCode, urlOf(text)]).toEqual([0, expect.stringContaining('http://127.0.0.1:')])
  })
})
