import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from '../servers.js'
import { type LoadRequest, SECRET } from './load.js'

const WORKER = fileURLToPath(new URL('worker.js', import.meta.url))

export function startWorker(kind: string, address: unknown, task: string, ...args: string[]) {
  return spawn(process.execPath, [WORKER, kind, JSON.stringify(address), task, ...args], {
    env: { ...process.env, WEBHOOK_SECRET: SECRET },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
}

/** Starts processes that verify the same requests at once, each in another order. Adds up the outcomes. */
export async function race(
  kind: string,
  address: unknown,
  requests: LoadRequest[],
  processes: number,
  inFlight: number,
) {
  const folder = temporaryFolder()
  const file = join(folder, 'requests.json')
  writeFileSync(file, JSON.stringify(requests))
  const workers = Array.from({ length: processes }, () => startWorker(kind, address, 'verify', file, String(inFlight)))
  const outputs = workers.map(async (worker) => {
    let output = ''
    worker.stdout.setEncoding('utf8').on('data', (chunk) => {
      output += chunk
    })
    // At 'exit', the last output may not have been read yet.
    const [code] = await once(worker, 'close')
    if (code !== 0) throw new Error(`a worker ended with ${code}`)
    return output
  })
  // A worker that ends before it is ready fails the test, instead of letting it wait.
  await Promise.race([Promise.all(workers.map((worker) => once(worker.stdout, 'data'))), Promise.all(outputs)])
  for (const worker of workers) worker.stdin.write('go\n')
  const total: Record<string, number> = {}
  for (const output of await Promise.all(outputs)) {
    const counts: Record<string, number> = JSON.parse(output.replace('ready\n', ''))
    for (const [outcome, count] of Object.entries(counts)) total[outcome] = (total[outcome] ?? 0) + count
  }
  rmSync(folder, { recursive: true })
  return total
}
