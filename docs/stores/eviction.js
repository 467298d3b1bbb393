/**
 * Throws if Redis, short of memory, would forget nonces: every key has a TTL, so the volatile policies evict them too.
 *
 * @param {unknown} info - the reply to INFO memory.
 */
export function refuseEviction(info) {
  if (!/^maxmemory_policy:noeviction\r?$/m.test(String(info))) {
    throw new Error('Redis evicts keys when it is short of memory: set maxmemory-policy to noeviction')
  }
}
