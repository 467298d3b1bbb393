// Values that are passed instead of the raw body on any runtime. test/hints/raw-body.test.ts has those of Node only, and test/rules/wording.txt all words.

function post(): Request {
  return new Request('http://localhost/', { method: 'POST', body: '{"a":1}' })
}

async function readFrom(request: Request): Promise<Request> {
  await request.json()
  return request
}

function form(): FormData {
  const form = new FormData()
  form.set('a', '1')
  return form
}

/** The page with the line of each framework, if the framework is not known. */
export const GUIDE = /\n.*node_modules\/inbound-webhook-auth\/docs\/receive\/index\.md$/

export const NO_RAW_BODIES: readonly (readonly [name: string, body: () => unknown, fix: RegExp])[] = [
  ['undefined', () => undefined, GUIDE],
  ['null', () => null, GUIDE],
  ['a number from a JSON parser', () => 1, GUIDE],
  ['a boolean from a JSON parser', () => false, GUIDE],
  ['an object from a JSON parser', () => ({ a: 1 }), GUIDE],
  ['a list from a JSON parser', () => [1], GUIDE],
  ['an empty list from a JSON parser', () => [], GUIDE],
  ['{} from a body parser that ignored it', () => ({}), GUIDE],
  ['an object without prototype, as querystring returns it', () => Object.create(null), GUIDE],
  ['a parsed form', form, GUIDE],
  ['parsed parameters', () => new URLSearchParams('a=1'), GUIDE],
  ['a promise', () => post().arrayBuffer(), /\bAwait\b/],
  // biome-ignore lint/suspicious/noThenProperty: a promise of another library has it too.
  ['a thenable', () => ({ then: () => undefined }), /\bAwait\b/],
  ['a method that was not called', () => post().arrayBuffer, /\bawait\b/],
  ['a Request', post, / await readBody\(request\)\.$/],
  ['a Blob', () => new Blob(['{"a":1}']), / await blob\.arrayBuffer\(\)\.$/],
  ["a Request's stream", () => post().body, GUIDE],
  ['a list of views and something else', () => [Buffer.from('a'), 'b'], GUIDE],
  ["a server's chunks", () => [Buffer.from('a'), Buffer.from('b')], / Buffer\.concat\(chunks\)\.$/],
  ["Lambda's event", () => ({ body: 'e30=', isBase64Encoded: true }), /\nAWS Lambda: .* await readBody\(event\)\.$/],
  ['a symbol', () => Symbol('body'), GUIDE],
]

/** Values that need an await to create. */
export const NO_RAW_BODIES_ONCE_READ: readonly (readonly [name: string, body: () => Promise<unknown>, fix: RegExp])[] =
  [
    ['a Request that was read', () => readFrom(post()), / await readBody\(request\)/],
    ["a Request's stream that is being read", () => readFrom(post()).then(({ body }) => body), GUIDE],
  ]
