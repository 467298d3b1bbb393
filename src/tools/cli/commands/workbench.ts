import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { defineCommand, describeFile, UsageError } from '../command.js'

const PAGE = 'dist/workbench.html'

export const workbench = defineCommand({
  name: 'workbench',
  summary: 'Opens the signature workbench: a page that checks, compares and signs requests.',
  operands: [],
  options: {
    'no-open': { help: 'prints the address, and starts no browser' },
  },
  notes: [
    'The page is served on 127.0.0.1 until you press Ctrl+C. It connects to nothing and stores nothing.',
    `It is one file, which also works offline: ${describeFile(PAGE)}`,
  ],

  async run({ values }, { env, pathInPackage }) {
    const page = await readPage(pathInPackage(PAGE))
    const server = createServer((request, response) => {
      const isPage = request.method === 'GET' && request.url === '/'
      response.writeHead(isPage ? 200 : 404, {
        'Content-Type': 'text/html; charset=utf-8',
        'Cache-Control': 'no-store',
        'X-Content-Type-Options': 'nosniff',
        'X-Frame-Options': 'DENY',
      })
      response.end(isPage ? page : '')
    })
    // The open server keeps the process running after this function has returned.
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    if (!values['no-open']) openInBrowser(url, env)
    return { exitCode: 0, text: `The workbench is at ${url}\nPress Ctrl+C to end it.\n`, document: { url } }
  },
})

async function readPage(path: string): Promise<Buffer> {
  try {
    return await readFile(path)
  } catch {
    throw new UsageError('The workbench is not built. In a clone of the repository, run: npm run build')
  }
}

/** Opens a browser if one can be started. If not, the printed address is enough. */
function openInBrowser(url: string, env: NodeJS.ProcessEnv): void {
  // Windows searches the current folder first, so this is an absolute path.
  const explorer = join(env['SystemRoot'] ?? 'C:\\Windows', 'explorer.exe')
  const openers: { readonly [platform: string]: string } = { darwin: 'open', win32: explorer }
  spawn(openers[process.platform] ?? 'xdg-open', [url], { env, stdio: 'ignore', detached: true })
    .on('error', () => {})
    .unref()
}
