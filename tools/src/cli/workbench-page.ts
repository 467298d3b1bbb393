import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Context, UsageError } from './command.js'

export const WORKBENCH = 'dist/workbench.html'

/** With these headers, no other site can show the page in a frame, and no cache keeps the page. */
export const PAGE_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
}

export async function readWorkbench({ pathInPackage }: Pick<Context, 'pathInPackage'>): Promise<Buffer> {
  try {
    return await readFile(pathInPackage(WORKBENCH))
  } catch {
    throw new UsageError('The workbench is not built. In a clone of the repository, run: npm run build')
  }
}

/**
 * Opens an address in the browser, but hides the address from other users of this machine. Other users can read the arguments of every
 * process. So the argument is a file that redirects to the address, and only this user can read the file. Resolves to a function that removes
 * the file.
 */
export async function openPrivately(url: string, env: NodeJS.ProcessEnv): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'inbound-webhook-tools-'))
  const file = join(folder, 'page.html')
  const html = `<!doctype html>\n<meta charset="utf-8">\n<meta http-equiv="refresh" content="0; url=${url}">\n`
  await writeFile(file, html, { mode: 0o600 })
  openInBrowser(file, env)
  return () => rm(folder, { recursive: true, force: true })
}

/** Opens an address in the browser. If no browser starts, there is no error, because the address is printed too. */
export function openInBrowser(url: string, env: NodeJS.ProcessEnv): void {
  // The path is absolute. Otherwise, Windows would first look for explorer.exe in the current folder.
  const explorer = join(env['SystemRoot'] ?? 'C:\\Windows', 'explorer.exe')
  const openers: { readonly [platform: string]: string } = { darwin: 'open', win32: explorer }
  spawn(openers[process.platform] ?? 'xdg-open', [url], { env, stdio: 'ignore', detached: true })
    .on('error', () => {})
    .unref()
}
