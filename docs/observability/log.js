import { subscribe } from 'node:diagnostics_channel'

/** Writes one line per result. @param {(line: string) => void} write */
export function logResults(write = console.log) {
  subscribe('inbound-webhook-auth:result', (message) => write(JSON.stringify(message)))
}
