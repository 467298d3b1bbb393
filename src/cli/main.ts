#!/usr/bin/env node
import { openTerminal } from './input/terminal.js'
import { run } from './run.js'

const { stdout, stderr, env } = process

process.exitCode = await run(process.argv.slice(2), {
  // Node opens standard input when it is first asked for, and then waits for it.
  get stdin() {
    return process.stdin
  },
  stdout,
  stderr,
  env,
  clock: Date,
  openTerminal,
})
