// Prints the processor time of `diagnose` for each body whose name begins with a text, and of its longest part without other work, both in
// milliseconds. Run: node tools/test/nightly/processor-time.js "20 MB of binary"
// It is a program of its own, because the processor time of a process includes that of all tests that run in it.
import { createHmac, randomBytes } from 'node:crypto'
import { pathToFileURL } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { NESTINGS } from './nestings.js'

const FAST = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }

/** @param {number} bytes */
function prettyJson(bytes) {
  const rows = Array.from({ length: bytes / 65 }, (_, id) => ({
    id,
    name: `name ${id}`,
    price: id / 7,
    tags: ['a', 'ü'],
  }))
  return Buffer.from(JSON.stringify(rows, undefined, 2))
}

/** @type {Record<string, () => Buffer>} */
export const BODIES = {
  '1 MB of binary': () => randomBytes(1_000_000),
  '1 MB of JSON': () => Buffer.from(JSON.stringify(JSON.parse(prettyJson(800_000).toString()))),
  '1 MB of one JSON string': () => Buffer.from(JSON.stringify('\n"é</\u2028'.repeat(90_000))),
  '1 MB of text': () => Buffer.from('The quick brown fox jumps over the lazy dog.\r\n'.repeat(22_000)),
  '1 MB of base64': () => Buffer.from(randomBytes(750_000).toString('base64')),
  '1 MB of equal bytes': () => Buffer.alloc(1_000_000, '\n'),
  '1 MB of gzip': () => gzipSync(prettyJson(5_000_000)),
  '20 MB of binary': () => randomBytes(20_000_000),
  '20 MB of letters beyond ASCII': () => Buffer.from('ë'.repeat(10_000_000)),
  '4.3 MB of pretty JSON': () => prettyJson(2_500_000),
  '20 MB of pretty JSON': () => prettyJson(10_000_000),
  'a bomb of Brotli': () => brotliCompressSync(Buffer.alloc(200_000_000), FAST),
  '16 MB of JSON in gzip': () => gzipSync(prettyJson(8_000_000)),
  ...Object.fromEntries(
    // 20 KB is about the largest body that is searched completely.
    [20_000, 300_000, 1_000_000, 10_000_000].flatMap((size) =>
      Object.entries(NESTINGS).map(([name, nested]) => [`${size} bytes of ${name}`, () => Buffer.from(nested(size))]),
    ),
  ),
}

/** Characters that some hypothesis replaces, and forms and variables. */
const UNITS = [...'&\\"\'/%+$!<{[=\r\n 7é', 'a=b&', '$a']
const manyKeys = (/** @type {number} */ size) =>
  JSON.stringify(Object.fromEntries(Array.from({ length: size / 12 }, (_, key) => [`key${key}`, 1])))

for (const size of [64, 256, 400, 512, 1024]) {
  const bytes = 1024 * size
  const texts = UNITS.map((unit) => [JSON.stringify(unit), unit.repeat(bytes / Buffer.byteLength(unit))])
  for (const [name, text = ''] of [...texts, ['keys', manyKeys(bytes)], ['0xFF', '\xff'.repeat(bytes)]]) {
    BODIES[`${size} KB of ${name}`] = () => Buffer.from(text, name === '0xFF' ? 'latin1' : 'utf8')
    BODIES[`${size} KB of ${name} as a JSON string`] = () => Buffer.from(JSON.stringify(text))
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { diagnose } = await import('../../dist/index.js')
  const headers = {
    'content-type': 'application/json',
    'x-timestamp': '1700000000',
    'x-nonce': 'abc',
    'x-signature': createHmac('sha256', 'another secret').update('nonsense').digest('hex'),
  }
  const clock = { now: () => 1_700_000_000_000 }

  /** Returns the processor time of one `diagnose`, and of its longest part without a turn of other work. @param {Buffer} body */
  const timesOf = async (body) => {
    let [total, longest, isDone] = [0, 0, false]
    let before = process.cpuUsage()
    const turn = () => {
      const { user, system } = process.cpuUsage(before)
      total += user + system
      longest = Math.max(longest, user + system)
      before = process.cpuUsage()
      if (!isDone) setImmediate(turn)
    }
    setImmediate(turn)
    await diagnose(
      { webhookId: '42', headers: { ...headers, 'content-length': String(body.length) }, body },
      'the signing secret of webhook 42',
      clock,
    )
    isDone = true
    turn()
    return { total, longest }
  }
  // The first call compiles the code.
  await timesOf(Buffer.from(JSON.stringify({ event: 'invoice.paid', id: 42, name: 'Zoë' })))
  for (const [name, bodyOf] of Object.entries(BODIES)) {
    if (!name.startsWith(String(process.argv[2]))) continue
    const { total, longest } = await timesOf(bodyOf())
    console.log(JSON.stringify({ name, total: total / 1000, longest: longest / 1000 }))
  }
}
