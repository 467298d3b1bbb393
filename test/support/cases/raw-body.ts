// Values that are passed instead of the raw body on any runtime, and the errors. test/hints/raw-body.test.ts has those of Node only, and test/rules/wording.txt all words.

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

export const NO_RAW_BODIES: readonly (readonly [name: string, body: () => unknown, found: RegExp, fix: RegExp])[] = [
  ['undefined', () => undefined, /^request\.body is undefined\b/, GUIDE],
  ['null', () => null, /^request\.body is null\b/, GUIDE],
  ['a number from a JSON parser', () => 1, /is a number\b/, GUIDE],
  ['a boolean from a JSON parser', () => false, /is a boolean\b/, GUIDE],
  ['an object from a JSON parser', () => ({ a: 1 }), /is an object\b/, GUIDE],
  ['a list from a JSON parser', () => [1], /is an array\b/, GUIDE],
  ['an empty list from a JSON parser', () => [], /is an array\b/, GUIDE],
  ['{} from a body parser that ignored it', () => ({}), /is an empty object\b/, GUIDE],
  ['an object without prototype, as querystring returns it', () => Object.create(null), /an empty object/, GUIDE],
  ['a parsed form', form, /is a parsed form/, GUIDE],
  ['parsed parameters', () => new URLSearchParams('a=1'), /is a parsed form/, GUIDE],
  ['a promise', () => post().arrayBuffer(), /is a promise/, /\bAwait\b/],
  // biome-ignore lint/suspicious/noThenProperty: a promise of another library has it too.
  ['a thenable', () => ({ then: () => undefined }), /is an object/, /\bAwait\b/],
  ['a method that was not called', () => post().arrayBuffer, /is a function/, /\bawait\b/],
  ['a Request', post, /is a request\./, / await readBody\(request\)\.$/],
  ['a Blob', () => new Blob(['{"a":1}']), /is a Blob\./, / await blob\.arrayBuffer\(\)\.$/],
  ["a Request's stream", () => post().body, /is a stream\./, GUIDE],
  ['a list of views and something else', () => [Buffer.from('a'), 'b'], /is an array\b/, GUIDE],
  [
    "a server's chunks",
    () => [Buffer.from('a'), Buffer.from('b')],
    /is a list of chunks/,
    / Buffer\.concat\(chunks\)\.$/,
  ],
  [
    "Lambda's event",
    () => ({ body: 'e30=', isBase64Encoded: true }),
    /is a whole event/,
    /\nAWS Lambda: .* await readBody\(event\)\.$/,
  ],
  ['a symbol', () => Symbol('body'), /is a symbol/, GUIDE],
]

/** Values that need an await to create. */
export const NO_RAW_BODIES_ONCE_READ: readonly (readonly [
  name: string,
  body: () => Promise<unknown>,
  found: RegExp,
  fix: RegExp,
])[] = [
  ['a Request that was read', () => readFrom(post()), /is a request [^.]*\bread\b/, / await readBody\(request\)/],
  ["a Request's stream that is being read", () => readFrom(post()).then(({ body }) => body), /is a stream/, GUIDE],
]
