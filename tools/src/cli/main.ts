#!/usr/bin/env node
import { pathInPackage } from './command.js'
import { openTerminal } from './input/secret-source.js'
import { run } from './run.js'

const { stdout, stderr, env } = process

process.exitCode = await run(process.argv.slice(2), {
  // This is a getter because Node opens standard input at the first access, and then the process waits for input.
  get stdin() {
    return process.stdin
  },
  stdout,
  stderr,
  env,
  clock: Date,
  untilInterrupted: () =>
    new Promise((resolve) => {
      for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => resolve())
    }),
  openTerminal,
  pathInPackage,
})
