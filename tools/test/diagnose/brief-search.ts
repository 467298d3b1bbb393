import { diagnoseInSteps } from '../../src/diagnose/engine.js'
import { type Diagnosis, type diagnose, readArguments } from '../../src/diagnose/index.js'
import { runSteps } from '../../src/diagnose/steps.js'
import { NODE_PRIMITIVES } from '../../src/node-primitives.js'

/** Most single mistakes in a short request need fewer hashes. */
const FEW_HASHES = 1500

type Arguments = Parameters<typeof diagnose>

/**
 * Does what `diagnose` does, but ends the search after a few hashes, because a whole search takes long. It is for tests of what does
 * not depend on the search.
 *
 * @param hashes - the largest number of hashes. With 0, there is no search.
 */
export async function diagnoseBriefly(
  request: Arguments[0],
  secret: Arguments[1],
  clock?: Arguments[2],
  hashes = FEW_HASHES,
): Promise<Diagnosis> {
  return runSteps(diagnoseInSteps(NODE_PRIMITIVES, readArguments(request, secret, clock), hashes))
}

/** Returns a function that calls `act` once per value, so that several tests share the result and run in any order. */
export function memoize<T, R>(act: (value: T) => R): (value: T) => R {
  const results = new Map<T, R>()
  return (value) => {
    if (!results.has(value)) results.set(value, act(value))
    return results.get(value) as R
  }
}
