import { once } from 'node:events'
import { createServer, request as openRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PassThrough } from 'node:stream'
import { expect, it, onTestFinished, vi } from 'vitest'
import { SECRET } from '../../../../test/support/request.js'
import { Receiver } from '../../../src/cli/listen/receiver.js'
import type { Report } from '../../../src/cli/listen/report.js'

const SETTINGS = {
  secrets: [SECRET],
  names: ['--secret-env WEBHOOK_SECRET'],
  clock: Date,
  endpoint: undefined,
  folder: undefined,
  allowedHosts: [],
}

/** Returns a receiver that collects its reports. */
function createReceiver() {
  const reports: Report[] = []
  const receiver = new Receiver({
    ...SETTINGS,
    async print(report) {
      reports.push(report)
    },
  })
  return { receiver, reports }
}

it('answers 408 to a request whose head does not end', async () => {
  const { receiver, reports } = createReceiver()
  const socket = new PassThrough()
  receiver.refuseConnection(Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket)
  expect(String(socket.read())).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\nConnection: close\r\n/)
  await receiver.stop()
  expect(reports).toMatchObject([
    { method: '', path: '', status: 408, reason: 'malformed_request', detail: expect.stringContaining('in time') },
  ])
})

it('has at most 100 requests that are being read or wait for their report, also when those that waited come in', async () => {
  const printing = new AbortController()
  let printed = 0
  const receiver = new Receiver({
    ...SETTINGS,
    async print() {
      if (!printing.signal.aborted) await once(printing.signal, 'abort')
      printed++
    },
  })
  const counts = { received: 0, beingRead: 0, most: 0, answered: 0 }
  const server = createServer((request, response) => {
    counts.received++
    request.once('resume', () => {
      counts.most = Math.max(counts.most, ++counts.beingRead)
    })
    request.once('end', () => counts.beingRead--)
    void receiver.receive(request, response)
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close().closeAllConnections())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const ask = async () => {
    await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: '{}' })
    counts.answered++
  }
  const asked = Array.from({ length: 301 }, ask)
  await vi.waitFor(() => expect(counts).toMatchObject({ received: 301, answered: 100 }), 50_000)
  printing.abort()
  await Promise.all(asked)
  await receiver.stop()
  expect(printed).toBe(301)
  expect(counts.most).toBeLessThanOrEqual(100)
})

it('holds at most 64 MiB of bodies, and forgets those of requests that were refused, broken off or reported', async () => {
  const { receiver, reports } = createReceiver()
  let received = 0
  const server = createServer((request, response) => {
    request.on('data', ({ length }) => {
      received += length
    })
    void receiver.receive(request, response)
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close().closeAllConnections())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const ask = async (bytes: number) => {
    const count = reports.length
    const { status } = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: Buffer.alloc(bytes) })
    await vi.waitFor(() => expect(reports).toHaveLength(count + 1), 50_000)
    return [status, reports.at(-1)?.reason]
  }

  const open = Array.from({ length: 64 }, () => {
    const options = { port, host: '127.0.0.1', method: 'POST', headers: { 'Content-Length': 2 ** 20 } }
    const request = openRequest(options).on('error', () => {})
    request.write(Buffer.alloc(2 ** 20 - 1))
    return request
  })
  await vi.waitFor(() => expect(received).toBe(64 * (2 ** 20 - 1)), 50_000)
  expect(await ask(65)).toEqual([503, 'memory_full'])
  expect(await ask(64)).toEqual([401, 'missing_header'])
  expect(await ask(64)).toEqual([401, 'missing_header'])
  for (const request of open) request.destroy()
  await vi.waitFor(() => expect(reports).toHaveLength(3 + 64), 50_000)
  expect(await ask(65)).toEqual([401, 'missing_header'])
  await receiver.stop()
})
