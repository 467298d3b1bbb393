import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { fileURLToPath } from 'node:url'
import { quantile } from './rounds.js'
import { SECRET, signed } from './verifiers.js'

const CONNECTIONS = 32
const ROUNDS = 21
const REQUESTS = 4000

/**
 * Measures how many requests a server in another process serves, with and without verification, in turns. `cost` is the share
 * of the requests per second that verification costs, in the median round, and `spread` its quartiles.
 *
 * @param {Buffer} body
 */
export async function served(body) {
  const servers = [await started('bare node:http', 'bare'), await started('readBody and verify', 'verify')]
  try {
    // The first two rounds are not counted: the servers warm up.
    for (let round = -2; round < ROUNDS; round++) {
      for (const server of round % 2 === 0 ? servers : servers.toReversed()) {
        const requests = Array.from({ length: REQUESTS }, () => bytesOf(body))
        const { seconds, latencies } = await sent(requests, server.port)
        if (round < 0) continue
        server.rates.push(REQUESTS / seconds)
        server.p99s.push(quantile(latencies, 0.99))
      }
    }
  } finally {
    for (const { child } of servers) child.kill()
  }
  return servers.map(({ name, rates, p99s }) => {
    const costs = rates.map((rate, round) => 1 - rate / (servers[0]?.rates[round] ?? Number.NaN))
    return {
      name,
      requestsPerSecond: quantile(rates, 0.5),
      p99Milliseconds: quantile(p99s, 0.5),
      cost: quantile(costs, 0.5),
      spread: [quantile(costs, 0.25), quantile(costs, 0.75)],
    }
  })
}

/** @param {string} name @param {string} mode */
async function started(name, mode) {
  const script = fileURLToPath(new URL('server.js', import.meta.url))
  const child = spawn(process.execPath, [script, SECRET, mode], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [output] = await once(child.stdout, 'data')
  return { name, child, port: Number(output), rates: /** @type {number[]} */ ([]), p99s: /** @type {number[]} */ ([]) }
}

/** @param {Buffer} body */
function bytesOf(body) {
  const lines = Object.entries({ ...signed(body).headers, 'content-length': body.length })
  return Buffer.concat([
    Buffer.from(`POST / HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`),
    body,
  ])
}

/**
 * One request at a time on each connection.
 *
 * @param {Buffer[]} requests - the function removes them.
 * @param {number} port
 */
async function sent(requests, port) {
  /** @type {number[]} */
  const latencies = []
  const start = performance.now()
  await Promise.all(Array.from({ length: CONNECTIONS }, () => sentOn(connect(port, '127.0.0.1'), requests, latencies)))
  return { seconds: (performance.now() - start) / 1000, latencies }
}

/**
 * It uses only callbacks, so that the client needs less time than the server.
 *
 * @param {import('node:net').Socket} socket
 * @param {Buffer[]} requests
 * @param {number[]} latencies - in milliseconds. The function adds to them.
 * @returns {Promise<void>}
 */
function sentOn(socket, requests, latencies) {
  return new Promise((resolve, reject) => {
    let before = 0
    const next = () => {
      const request = requests.pop()
      if (request === undefined) {
        socket.destroy()
        return resolve()
      }
      before = performance.now()
      socket.write(request)
    }
    socket.setNoDelay(true).once('connect', next).once('error', reject)
    socket.on('data', (answer) => {
      if (!answer.toString('latin1', 0, 12).endsWith('204')) return reject(new Error(`not accepted: ${answer}`))
      latencies.push(performance.now() - before)
      next()
    })
  })
}
