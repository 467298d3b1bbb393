import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Context, UsageError } from './command.js'

/** The workbench: one HTML file, which the build writes. */
export const WORKBENCH = 'dist/workbench.html'

/** Headers that forbid other pages to show the page in a frame, and caches to keep it. */
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

/** Opens a browser if one can be started. If not, the printed address is enough. */
export function openInBrowser(url: string, env: NodeJS.ProcessEnv): void {
  // Windows searches the current folder first, so this is an absolute path.
  const explorer = join(env['SystemRoot'] ?? 'C:\\Windows', 'explorer.exe')
  const openers: { readonly [platform: string]: string } = { darwin: 'open', win32: explorer }
  spawn(openers[process.platform] ?? 'xdg-open', [url], { env, stdio: 'ignore', detached: true })
    .on('error', () => {})
    .unref()
}
