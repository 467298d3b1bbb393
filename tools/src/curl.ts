import { base64, fromLatin1 } from './bytes.js'
import type { Header } from './capture/headers.js'

// This file writes curl commands that the user can paste into a shell.

/** Returns a text as one word for a shell. In single quotes, sh, dash, bash and zsh read every character as itself. */
export function shellWord(text: string): string {
  return /^[\w@%+:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

/** Returns the command that posts a file. With the path `-`, the command posts its standard input. */
export function curlWithFile(url: string, headers: readonly Header[], path: string): string {
  return curlCommand(url, headers, '--data-binary', `@${path}`)
}

/** A longer body is not an argument of curl, because Linux limits an argument to 128 KiB. */
const MAX_TEXT = 2 ** 15

/** Returns the command that posts a body. A body that is long or not visible ASCII is in the command as base64. */
export function curlWithBody(url: string, headers: readonly Header[], body: Uint8Array): string {
  const text = body.length > MAX_TEXT ? undefined : fromLatin1(body)
  if (text !== undefined && /^[ -~]*$/.test(text)) return curlCommand(url, headers, '--data-raw', text)
  return `printf %s ${shellWord(base64(body))} | base64 -d |\n${curlWithFile(url, headers, '-')}`
}

function curlCommand(url: string, headers: readonly Header[], option: string, data: string): string {
  return [
    // Without -g, curl reads `[1-3]` in a URL as a list of three URLs.
    'curl -ig',
    shellWord(url),
    ...headers.map(([name, value]) => `-H ${shellWord(`${name}: ${value}`)}`),
    `${option} ${shellWord(data)}`,
  ].join(' \\\n  ')
}
