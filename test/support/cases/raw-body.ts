// Values that are passed instead of the raw body on any runtime, with the code of the hint. test/hints/raw-body.test.ts has those of Node only, and test/rules/wording.txt all words.

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

export const NO_RAW_BODIES: readonly (readonly [name: string, body: () => unknown, hint: string, fix: RegExp])[] = [
  ['undefined', () => undefined, 'missing_body', GUIDE],
  ['null', () => null, 'missing_body', GUIDE],
  ['a number from a JSON parser', () => 1, 'parsed_value', GUIDE],
  ['a boolean from a JSON parser', () => false, 'parsed_value', GUIDE],
  ['an object from a JSON parser', () => ({ a: 1 }), 'parsed_object', GUIDE],
  ['a list from a JSON parser', () => [1], 'parsed_array', GUIDE],
  ['an empty list from a JSON parser', () => [], 'parsed_array', GUIDE],
  ['{} from a body parser that ignored it', () => ({}), 'empty_object_as_body', GUIDE],
  ['an object without prototype, as querystring returns it', () => Object.create(null), 'empty_object_as_body', GUIDE],
  ['a parsed form', form, 'parsed_form', GUIDE],
  ['parsed parameters', () => new URLSearchParams('a=1'), 'parsed_form', GUIDE],
  ['a promise', () => post().arrayBuffer(), 'promise_as_body', /\bAwait\b/],
  // biome-ignore lint/suspicious/noThenProperty: a promise of another library has it too.
  ['a thenable', () => ({ then: () => undefined }), 'promise_as_body', /\bAwait\b/],
  ['a method that was not called', () => post().arrayBuffer, 'function_as_body', /\bawait\b/],
  ['a Request', post, 'request_as_body', / await readBody\(request\)\.$/],
  ['a Blob', () => new Blob(['{"a":1}']), 'blob_as_body', / await blob\.arrayBuffer\(\)\.$/],
  ["a Request's stream", () => post().body, 'stream_as_body', GUIDE],
  ['a list of views and something else', () => [Buffer.from('a'), 'b'], 'parsed_array', GUIDE],
  ["a server's chunks", () => [Buffer.from('a'), Buffer.from('b')], 'chunks_as_body', / Buffer\.concat\(chunks\)\.$/],
  [
    "Lambda's event",
    () => ({ body: 'e30=', isBase64Encoded: true }),
    'event_as_body',
    /\nAWS Lambda: .* await readBody\(event\)\.$/,
  ],
  ['a symbol', () => Symbol('body'), 'parsed_value', GUIDE],
]

/** Values that need an await to create. */
export const NO_RAW_BODIES_ONCE_READ: readonly (readonly [
  name: string,
  body: () => Promise<unknown>,
  hint: string,
  fix: RegExp,
])[] = [
  ['a Request that was read', () => readFrom(post()), 'read_request_as_body', / await readBody\(request\)/],
  [
    "a Request's stream that is being read",
    () => readFrom(post()).then(({ body }) => body),
    'read_stream_as_body',
    GUIDE,
  ],
]
