import { closeSync, openSync } from 'node:fs'
import { ReadStream, WriteStream } from 'node:tty'

/** A terminal to ask at. */
export interface Terminal {
  readonly input: NodeJS.ReadableStream
  readonly output: NodeJS.WritableStream
  close(): void
}

/** The streams of a process that may be its terminal. */
export interface StandardStreams {
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean | undefined }
  readonly stderr: NodeJS.WritableStream
}

/**
 * The terminal that the process belongs to: stdin may be a body, and stdout a file. `undefined` where there is none, as in
 * CI or under cron.
 */
export function openTerminal(standard: StandardStreams, path = '/dev/tty'): Terminal | undefined {
  let descriptor: number | undefined
  try {
    descriptor = openSync(path, 'r+')
    const [input, output] = [new ReadStream(descriptor), new WriteStream(descriptor)]
    return { input, output, close: () => input.destroy() }
  } catch {
    if (descriptor !== undefined) closeSync(descriptor)
  }
  // Windows has no such file.
  const { stdin, stderr } = standard
  return stdin.isTTY ? { input: stdin, output: stderr, close: () => stdin.pause() } : undefined
}
