import { timeOf } from '../../../src/clock.js'
import type { Clock } from '../../../src/index.js'
import { readRequest, readSecrets, type Secret } from '../../../src/request.js'
import { listHeaders } from '../../src/capture/headers.js'
import { diagnoseWith } from '../../src/diagnose/engine.js'
import type { Diagnosis, RequestToExplain } from '../../src/diagnose/index.js'
import { NODE_PRIMITIVES } from '../../src/node-primitives.js'

/** Most single mistakes in a short request need fewer hashes. */
const FEW_HASHES = 1500

/**
 * Does what `diagnose` does, but ends the search after a few hashes, because a whole search takes long. It is for tests of what does
 * not depend on the search.
 *
 * @param hashes - the largest number of hashes. With 0, there is no search.
 */
export async function diagnoseBriefly(
  request: RequestToExplain,
  secret: Secret,
  clock?: Clock | undefined,
  hashes = FEW_HASHES,
): Promise<Diagnosis> {
  const { values, body } = readRequest(request)
  const { timestamp, nonce, signature } = values
  if (body === undefined) throw new TypeError('The request has no body.')
  const target = { ':method': request.method, ':path': request.path }
  const read = {
    timestamp,
    nonce,
    signature,
    headers: [...listHeaders(target), ...listHeaders(request.headers)],
    body,
    secrets: readSecrets(secret),
    now: timeOf(clock ?? Date),
    isArrivalKnown: clock !== undefined,
  }
  return diagnoseWith(NODE_PRIMITIVES, read, hashes)
}
