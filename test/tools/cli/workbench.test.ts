import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { ROOT } from '../../support/packed.js'
import { call } from './call.js'

const file = join(ROOT, 'dist/workbench.html')
const folder = mkdtempSync(join(tmpdir(), 'workbench-'))
const built = existsSync(file) ? readFileSync(file) : undefined

afterAll(() => {
  rmSync(folder, { recursive: true })
  if (built === undefined) rmSync(file, { force: true })
  else writeFileSync(file, built)
})

describe('the workbench, not built', () => {
  it('is an error that says how to build it', async () => {
    rmSync(file, { force: true })
    const { exitCode, said } = await call(['workbench', '--no-open'])
    expect([exitCode, said]).toEqual([2, expect.stringContaining('npm run build')])
  })
})

describe('the workbench', () => {
  beforeAll(() => {
    mkdirSync(join(ROOT, 'dist'), { recursive: true })
    writeFileSync(file, built ?? '<title>the page</title>')
  })

  const urlOf = (text: string) => /http:\/\/127\.0\.0\.1:\d+\//.exec(text)?.[0] ?? ''

  it('is served on 127.0.0.1, alone, and unchanged', async () => {
    const { exitCode, text } = await call(['workbench', '--no-open'])
    expect(exitCode).toBe(0)
    const response = await fetch(urlOf(text))
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(Buffer.from(await response.arrayBuffer())).toEqual(readFileSync(file))
    expect((await fetch(`${urlOf(text)}package.json`)).status).toBe(404)
    expect((await fetch(urlOf(text), { method: 'POST' })).status).toBe(404)
  })

  it('prints its address as JSON', async () => {
    const { text } = await call(['workbench', '--no-open', '--json'])
    expect(JSON.parse(text)).toEqual({ url: urlOf(text) })
  })

  describe.runIf(process.platform === 'linux')('is opened in the browser', () => {
    const { platform } = process
    afterEach(() => {
      Object.defineProperty(process, 'platform', { value: platform })
    })

    /** Creates a program that writes its argument to a file. Returns the file. */
    function createOpener(path: string): string {
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, `#!/bin/sh\nprintf %s "$1" > '${path}.opened'\n`)
      chmodSync(path, 0o755)
      return `${path}.opened`
    }

    it.each([
      ['linux', 'xdg-open'],
      ['darwin', 'open'],
    ])('on %s by %s', async (system, program) => {
      const opened = createOpener(join(folder, system, program))
      Object.defineProperty(process, 'platform', { value: system })
      const { text } = await call(['workbench'], {
        env: { PATH: [join(folder, system), process.env['PATH']].join(delimiter) },
      })
      await vi.waitFor(() => expect(readFileSync(opened, 'utf8')).toBe(urlOf(text)), 10_000)
    })

    it('on Windows by the program in its own folder, because a folder of somebody else may have one of the same name', async () => {
      const opened = createOpener(join(folder, 'system/explorer.exe'))
      const another = createOpener(join(folder, 'downloads/explorer.exe'))
      Object.defineProperty(process, 'platform', { value: 'win32' })
      const env = { PATH: join(folder, 'downloads'), SystemRoot: join(folder, 'system') }
      const { text } = await call(['workbench'], { env })
      await vi.waitFor(() => expect(readFileSync(opened, 'utf8')).toBe(urlOf(text)), 10_000)
      expect(existsSync(another)).toBe(false)
    })
  })

  it('prints its address where no browser can be started', async () => {
    const none = folder.replace('workbench', 'none')
    const { exitCode, text } = await call(['workbench'], { env: { PATH: none, SystemRoot: none } })
    expect([exitCode, urlOf(text)]).toEqual([0, expect.stringContaining('http://127.0.0.1:')])
  })
})
