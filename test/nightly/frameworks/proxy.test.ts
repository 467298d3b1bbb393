import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { handle, MemoryNonceStore, refuse } from '../../../src/index.js'
import { endpointContract } from '../../../tools/src/testing/index.js'
import { ROOT } from '../../support/packed.js'
import { isInstalled } from '../../support/programs.js'
import { send, signedHeaders } from '../../support/raw-client.js'
import { SECRET } from '../../support/request.js'
import { eventually, freePort, LocalServer } from '../../support/servers.js'

// The settings of the guide, in a real nginx before a real handler.

class Nginx extends LocalServer {
  static async start(upstream: number): Promise<Nginx> {
    const nginx = new Nginx(await freePort())
    const settings = readFileSync(join(ROOT, 'docs/operate/nginx.conf'), 'utf8')
      .replace('listen 80', `listen 127.0.0.1:${nginx.port}`)
      .replace('127.0.0.1:3000', `127.0.0.1:${upstream}`)
    writeFileSync(
      join(nginx.folder, 'nginx.conf'),
      `daemon off; ${process.getuid?.() === 0 ? 'user root;' : ''} pid nginx.pid; error_log stderr;
      events {}
      http { access_log off; client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path f; uwsgi_temp_path u; scgi_temp_path s;
      ${settings} }`,
    )
    nginx.launch('nginx', ['-p', nginx.folder, '-c', join(nginx.folder, 'nginx.conf')])
    await eventually(() => fetch(`http://127.0.0.1:${nginx.port}/`))
    return nginx
  }
}

const EVENT = Buffer.from('{"event":"invoice.paid"}')
const signed = (body: Uint8Array) => ({
  path: '/hooks/billing',
  headers: signedHeaders({ body, secret: SECRET }),
  body,
})

describe.runIf(isInstalled('nginx', spawnSync('nginx', ['-v']).status === 0))('behind nginx', () => {
  const nonceStore = new MemoryNonceStore()
  let started = 0
  let server: Server
  let nginx: Nginx
  beforeAll(async () => {
    server = createServer(async (request, response) => {
      started++
      try {
        await handle({ webhookId: 'billing', request }, SECRET, nonceStore, () => {})
        response.writeHead(204).end()
      } catch (error) {
        refuse(response, error, { log: () => {} })
      }
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    nginx = await Nginx.start((server.address() as AddressInfo).port)
  })
  afterAll(async () => {
    await nginx?.stop()
    server?.close()
  })

  const post = (headers: readonly (readonly [string, string])[], body: Uint8Array) =>
    fetch(`http://127.0.0.1:${nginx.port}/hooks/billing`, {
      method: 'POST',
      headers: headers.map(([name, value]): [string, string] => [name, value]),
      body: Buffer.from(body),
      redirect: 'manual',
    })

  describe('the handler conforms to the specification', () => {
    for (const { name, run, isSkipped } of endpointContract({ secret: SECRET, post })) it.skipIf(isSkipped)(name, run)
  })

  it('accepts bytes unchanged: compressed, binary, in chunks, and of the largest size', async () => {
    const bodies = [gzipSync(EVENT), Buffer.from([0, 255, 13, 10, 0xef, 0xbb, 0xbf]), Buffer.alloc(1_048_576, 'x')]
    for (const body of bodies) {
      const request = signed(body)
      const headers = [...request.headers, ['Content-Encoding', 'gzip'] as const]
      expect(await send(nginx.port, { ...request, headers })).toMatchObject({ status: 204 })
    }
    expect(await send(nginx.port, { ...signed(EVENT), chunkBytes: 7 })).toMatchObject({ status: 204 })
  })

  it('refuses a body above the limit before the server sees it', async () => {
    const before = started
    expect(await send(nginx.port, signed(Buffer.alloc(1_048_577, 'x')))).toMatchObject({ status: 413 })
    expect(started).toBe(before)
  })

  it('waits for the whole body before the server sees the request', async () => {
    const before = started
    const slow = send(nginx.port, { ...signed(Buffer.alloc(60_000, 'x')), pause: 300 })
    await sleep(300)
    expect(started).toBe(before)
    expect(await slow).toMatchObject({ status: 204 })
    expect(started).toBe(before + 1)
  })

  it('refuses a client that sends too many requests, and no longer asks the server', async () => {
    await sleep(6000)
    const before = started
    const responses = await Promise.all(Array.from({ length: 300 }, () => post([], EVENT)))
    const statuses = responses.map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set([401, 429]))
    expect(started - before).toBe(statuses.filter((status) => status === 401).length)
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(100)
  })
})
