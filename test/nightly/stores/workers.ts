import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { SECRET } from '../../support/stores/load.js'

const WORKER = fileURLToPath(new URL('worker.js', import.meta.url))

export function startWorker(kind: string, address: unknown, task: string, ...args: string[]) {
  return spawn(process.execPath, [WORKER, kind, JSON.stringify(address), task, ...args], {
    env: { ...process.env, WEBHOOK_SECRET: SECRET },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
}
