import assert from 'node:assert/strict'
import type { SqliteNonceStore } from '../../../src/stores/sqlite.js'
import type { Case, Core } from './case.js'
import { contract, type Sqlite, sqliteContract, type Testing } from './contract.js'
import { mistakes } from './mistakes.js'
import { readBodies } from './read-body.js'
import { bodyShapes, headerShapes } from './shapes.js'
import { vectors } from './vectors.js'

/** The exports of each subpath of the package on this runtime, by import name. */
export type Loaded = ReadonlyMap<string, object>

export interface Outcome {
  passed: number
  /** Says what is wrong, with one text per failed case. */
  failed: string[]
}

/**
 * Runs the core's tables of cases on this runtime, and the contract of the nonce stores.
 *
 * @param database - an empty database of the runtime's SQLite, if it has one.
 */
export async function outcomeOf(
  loaded: Loaded,
  database?: ConstructorParameters<typeof SqliteNonceStore>[0],
): Promise<Outcome> {
  const core = loaded.get('inbound-webhook-auth') as Core
  const testing = loaded.get('inbound-webhook-auth/testing') as Testing
  const sqlite = loaded.get('inbound-webhook-auth/sqlite') as Sqlite

  const outcome: Outcome = { passed: 0, failed: [] }
  async function run({ name, run }: Case): Promise<void> {
    try {
      await run()
      outcome.passed++
    } catch (error) {
      outcome.failed.push(`${name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
    }
  }
  for (const one of [...subpaths(loaded), ...coreCases(core)]) await run(one)
  // These cases wait for real time to pass, so they run at once.
  const contracts = [
    ...contract(core, testing),
    ...(database === undefined ? [] : sqliteContract(sqlite, testing, database)),
  ]
  await Promise.all(contracts.map(run))
  return outcome
}

function subpaths(loaded: Loaded): Case[] {
  return [...loaded].map(([name, exports]) => ({
    name: `${name} is loaded`,
    run: () => assert.notDeepEqual(Object.keys(exports), []),
  }))
}

function coreCases(core: Core): Case[] {
  return [...vectors(core), ...headerShapes(core), ...bodyShapes(core), ...readBodies(core), ...mistakes(core)]
}
