import { subscribe } from 'node:diagnostics_channel'

/** Writes one line per result. @param {(line: string) => void} write */
export function logResults(write = console.log) {
  subscribe('inbound-webhook-auth:result', (message) => {
    try {
      write(JSON.stringify(message))
    } catch (error) {
      console.error(error)
    }
  })
}
