import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createProject } from '../support/packed.js'
import { IS_POSIX } from '../support/programs.js'

// If an attacker uses up all file descriptors with idle connections, no more files can be loaded.

const MAIN = `
  const request = {
    webhookId: '42',
    headers: { 'x-timestamp': '1700000000', 'x-nonce': 'nonce', 'x-signature': '0'.repeat(64), 'content-length': '9' },
    body: Buffer.from('a body'),
  }
  const clock = { now: () => 1_700_000_000_000 }
  try {
    for (;;) openSync('/dev/null')
  } catch (error) {
    console.log(error.code)
  }
  const codeOf = (error) => error.code
  import('./another.mjs').catch(codeOf).then(async (code) => {
    console.log(code)
    const { reason, message } = await verify(request, 'the signing secret of webhook 42', new MemoryNonceStore(), clock)
    console.log(reason)
    console.log(message)
    const error = await receive({ webhookId: '42', request }, 'the signing secret of webhook 42', new MemoryNonceStore(), clock).catch((error) => error)
    console.log(error.code, error.status)
  })`
const NAMES = '{ MemoryNonceStore, receive, verify }'

it.runIf(IS_POSIX).each<[string, string]>([
  ['mjs', `import { openSync } from 'node:fs'\nimport ${NAMES} from 'inbound-webhook-auth'\n${MAIN}`],
  ['cjs', `const { openSync } = require('node:fs')\nconst ${NAMES} = require('inbound-webhook-auth')\n${MAIN}`],
])('a mismatch is described when all file descriptors are used up: %s', (extension, source) => {
  const folder = createProject()
  writeFileSync(join(folder, `main.${extension}`), source)
  writeFileSync(join(folder, 'another.mjs'), '')
  const output = execFileSync('sh', ['-c', `ulimit -n 64 && exec "$0" main.${extension}`, process.execPath], {
    cwd: folder,
    encoding: 'utf8',
  })
  const [opening, importing, reason, message, error] = output.split('\n')
  expect([opening, importing]).toEqual(['EMFILE', expect.stringMatching(/EMFILE|ERR_MODULE_NOT_FOUND/)])
  expect(reason).toBe('signature_mismatch')
  expect(message).toMatch(/6 bytes.*Content-Length.* 9/)
  expect(error).toBe('ERR_WEBHOOK_REJECTED 401')
})
