import type { Header } from './capture/headers.js'

/** Returns text as one word for a shell. In single quotes, sh, dash, bash and zsh read every character as itself. */
export function shellWord(text: string): string {
  return /^[\w@%+:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

/** Returns the command that posts a file. With the path `-`, the command posts its standard input. */
export function curlWithFile(url: string, headers: readonly Header[], path: string): string {
  return [
    // Without -g, curl reads `[1-3]` in a URL as a list of three URLs.
    'curl -ig',
    shellWord(url),
    ...headers.map(([name, value]) => `-H ${shellWord(`${name}: ${value}`)}`),
    `--data-binary ${shellWord(`@${path}`)}`,
  ].join(' \\\n  ')
}
