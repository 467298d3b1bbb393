import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, onTestFinished } from 'vitest'

// What a test file or a test uses until its end.

/** Creates a folder, which is removed after the tests of the file. Its name is short, because the program breaks lines at its length. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 't-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  return folder
}

export type Answer = (request: IncomingMessage, response: ServerResponse, body: Buffer) => unknown

/** Starts a server until the end of the test. It reads each request before it calls `answer`, which ends the response. */
export async function serve(answer: Answer = (_, response) => response.end()) {
  const received: (Pick<IncomingMessage, 'method' | 'url' | 'headers' | 'rawHeaders'> & { body: Buffer })[] = []
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray())
    const { method, url, headers, rawHeaders } = request
    received.push({ method, url, headers, rawHeaders, body })
    await answer(request, response, body)
  }).listen(0, '127.0.0.1')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { port, origin: `http://127.0.0.1:${port}`, received }
}
