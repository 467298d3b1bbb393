import { WORKER_SOURCE } from 'worker-source'
import type { CheckInput } from './check.js'
import type { CheckReport } from './report.js'
import type { Answer } from './worker.js'

// With Trusted Types, a browser accepts the address of a Worker only from a policy. Other browsers accept the address itself.
const policy = window.trustedTypes?.createPolicy('workbench', { createScriptURL: (address) => address })
const address = URL.createObjectURL(new Blob([WORKER_SOURCE], { type: 'text/javascript' }))

let worker: Worker | undefined
let cancel: (() => void) | undefined

/** Runs a check in a Worker, so that the page does not freeze. A new check stops the check before it, which then resolves to `undefined`. */
export function runInWorker(input: CheckInput): Promise<CheckReport | undefined> {
  if (cancel !== undefined) {
    worker?.terminate()
    worker = undefined
    cancel()
  }
  worker ??= new Worker((policy?.createScriptURL(address) ?? address) as string)
  const running = worker
  return new Promise((resolve, reject) => {
    cancel = () => resolve(undefined)
    running.onmessage = ({ data }: MessageEvent<Answer>) => {
      cancel = undefined
      if ('report' in data) resolve(data.report)
      else reject(new Error(data.error))
    }
    running.onerror = () => {
      cancel = undefined
      worker = undefined
      reject(new Error('This browser does not start the Worker that checks the request.'))
    }
    running.postMessage(input)
  })
}
