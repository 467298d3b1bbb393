import { base64, fromLatin1 } from './bytes.js'
import type { Header } from './capture/headers.js'

// `sign` and the workbench use this file to write curl commands that you can paste into a shell.

/** Returns a word for a POSIX shell, in quotes if necessary. In single quotes, sh, dash, bash and zsh expand nothing. */
export function shellWord(text: string): string {
  return /^[\w@%+:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

/** Returns the command that posts the body of a file, or of standard input for `-`. */
export function curlWithFile(url: string, headers: readonly Header[], path: string): string {
  return curlCommand(url, headers, '--data-binary', `@${path}`)
}

/** The longest body that is passed as an argument of curl, because Linux limits an argument to 128 KiB. */
const MAX_TEXT = 2 ** 15

/** Returns the command that posts these bytes. A body that is long, or not visible ASCII, is in base64. */
export function curlWithBody(url: string, headers: readonly Header[], body: Uint8Array): string {
  const text = body.length > MAX_TEXT ? undefined : fromLatin1(body)
  if (text !== undefined && /^[ -~]*$/.test(text)) return curlCommand(url, headers, '--data-raw', text)
  return `printf %s ${shellWord(base64(body))} | base64 -d |\n${curlWithFile(url, headers, '-')}`
}

function curlCommand(url: string, headers: readonly Header[], option: string, data: string): string {
  return [
    // Without -g, curl reads brackets in a URL as a pattern.
    'curl -ig',
    shellWord(url),
    ...headers.map(([name, value]) => `-H ${shellWord(`${name}: ${value}`)}`),
    `${option} ${shellWord(data)}`,
  ].join(' \\\n  ')
}
