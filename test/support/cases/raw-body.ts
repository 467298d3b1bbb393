// Values that are passed instead of the raw body on any runtime, and the errors. test/rules/body-hint.test.ts has those of Node only.

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

/** The advice if the framework is not known. */
export const BEFORE_PARSING =
  /Pass the bytes as received, read before anything parses them\.\nHow to get them in each framework: node_modules\/inbound-webhook-auth\/docs\/receive\/index\.md$/

export const NO_RAW_BODIES: readonly (readonly [name: string, body: () => unknown, found: RegExp, fix: RegExp])[] = [
  [
    'undefined',
    () => undefined,
    /^request\.body is undefined: nothing read it, .*or there is none \(then pass ''\)\./,
    BEFORE_PARSING,
  ],
  [
    'null',
    () => null,
    /^request\.body is null: nothing read it, .*or there is none \(then pass ''\)\./,
    BEFORE_PARSING,
  ],
  ['a number from a JSON parser', () => 1, /is a number, as a JSON parser/, BEFORE_PARSING],
  ['a boolean from a JSON parser', () => false, /is a boolean, as a JSON parser/, BEFORE_PARSING],
  ['an object from a JSON parser', () => ({ a: 1 }), /is an object, as a body parser/, BEFORE_PARSING],
  ['a list from a JSON parser', () => [1], /is an array, as a JSON parser/, BEFORE_PARSING],
  ['an empty list from a JSON parser', () => [], /is an array, as a JSON parser/, BEFORE_PARSING],
  [
    '{} from a body parser that ignored it',
    () => ({}),
    /is an empty object: a body parser ignored the content type/,
    BEFORE_PARSING,
  ],
  [
    'an object without prototype, as querystring returns it',
    () => Object.create(null),
    /an empty object/,
    BEFORE_PARSING,
  ],
  ['a parsed form', form, /is a parsed form/, BEFORE_PARSING],
  ['parsed parameters', () => new URLSearchParams('a=1'), /is a parsed form/, BEFORE_PARSING],
  ['a promise', () => post().arrayBuffer(), /is a promise/, /\. Await it\.$/],
  // biome-ignore lint/suspicious/noThenProperty: a promise of another library has it too.
  ['a thenable', () => ({ then: () => undefined }), /is an object/, /\. Await it\.$/],
  ['a method that was not called', () => post().arrayBuffer, /is a function/, /\. Call it, await/],
  ['a Request', post, /is a request\./, /\. Pass await readBody\(request\)\.$/],
  ['a Blob', () => new Blob(['{"a":1}']), /is a Blob\./, /\. Pass await blob\.arrayBuffer\(\)\.$/],
  ["a Request's stream", () => post().body, /is a stream\./, BEFORE_PARSING],
  [
    'a list of views and something else',
    () => [Buffer.from('a'), 'b'],
    /is an array, as a JSON parser/,
    BEFORE_PARSING,
  ],
  [
    "a server's chunks",
    () => [Buffer.from('a'), Buffer.from('b')],
    /is a list of chunks/,
    /\. Pass Buffer\.concat\(chunks\)\.$/,
  ],
  [
    "Lambda's event",
    () => ({ body: 'e30=', isBase64Encoded: true }),
    /is a whole event/,
    /\nAWS Lambda: pass await readBody\(event\)\.$/,
  ],
  ['a symbol', () => Symbol('body'), /is a symbol/, BEFORE_PARSING],
]

/** Values that need an await to create. */
export const NO_RAW_BODIES_ONCE_READ: readonly (readonly [
  name: string,
  body: () => Promise<unknown>,
  found: RegExp,
  fix: RegExp,
])[] = [
  [
    'a Request that was read',
    () => readFrom(post()),
    /is a request that was already read/,
    /Pass await readBody\(request\)/,
  ],
  [
    "a Request's stream that is being read",
    () => readFrom(post()).then(({ body }) => body),
    /is a stream/,
    BEFORE_PARSING,
  ],
]
