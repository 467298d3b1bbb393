import { describe, it } from 'vitest'
import { IS_POSIX, isInstalled } from '../../../test/support/programs.js'
import { endpointContract } from '../../src/testing/index.js'
import { postTo, startPython } from './receivers/serve.js'

const SECRET = 'cKsQ_EJbrw_SreUQ0LA3YsYy0sSp_1Fgkp-_M282FlE'

// The contract over HTTP, with a receiver that shares no code with this library.

describe.runIf(IS_POSIX && isInstalled('python3'))('a right receiver in Python', () => {
  it('passes every case', { timeout: 60_000 }, async () => {
    const { origin, stop } = await startPython(SECRET)
    try {
      for (const { code, run } of endpointContract({ post: postTo(origin), secret: SECRET, timeout: 60_000 })) {
        // This case waits for 3 s.
        if (code !== 'replay-late') await run()
      }
    } finally {
      stop()
    }
  })
})
