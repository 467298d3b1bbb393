import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { NonceStoreError } from '../../src/index.js'
import { hidingCredentials, withoutCredentials } from '../../src/stores/credentials.js'
import { shows } from '../support/secrets.js'

const PASSWORD = 'planted-password'

class ReplyError extends Error {
  override get name() {
    return 'ReplyError'
  }
}

const error = (message: string, properties: object = {}) => Object.assign(new ReplyError(message), properties)
const hidden = (name: PropertyKey) => Object.defineProperty(error('hidden'), name, { value: { secret: PASSWORD } })

describe('an error without credentials shows no password', () => {
  const cycle = error('cycle', { client: PASSWORD })
  cycle.cause = [cycle]
  it.each<[string, unknown]>([
    ['the command of ioredis', error('WRONGPASS', { command: { name: 'hello', args: ['3', 'AUTH', PASSWORD] } })],
    ['the client of pg', error('lost', { client: { connectionParameters: { password: PASSWORD } } })],
    ['a URL that is invalid', error('Invalid URL', { code: 'ERR_INVALID_URL', input: `redis://u:${PASSWORD}#@h` })],
    ['a URL in the message', error(`error parsing connection string mariadb://u:p@${PASSWORD}#@h. format: 'x@y'`)],
    ['a URL in the message, with a line break', error(`cannot read redis://u:a\n    at ${PASSWORD}@h`)],
    [
      'a command that Redis does not know',
      error(`ERR unknown command 'HELLO', with args beginning with: '3' '${PASSWORD}`),
    ],
    ['a property that is not enumerable', hidden('response')],
    ['a property with a symbol', hidden(Symbol('socket'))],
    ['a getter', Object.defineProperty(error('getter'), 'config', { get: () => PASSWORD })],
    [
      'a getter with a name that is kept',
      Object.defineProperty(error('a'), 'detail', { get: () => `x://${PASSWORD}@` }),
    ],
    ['an object with a name that is kept', error('object', { detail: { password: PASSWORD } })],
    ['the cause of a cause', error('a', { cause: error('b', { cause: error('c', { args: [PASSWORD] }) }) })],
    ['the errors of an AggregateError', new AggregateError([error('a', { args: PASSWORD })], `redis://:${PASSWORD}@h`)],
    ['the last error of a cluster', error('a', { lastNodeError: error('b', { command: PASSWORD }) })],
    ['an error that is its own cause', cycle],
    [
      'the answer of the AWS SDK',
      Object.defineProperty(error('denied', { $metadata: { requestId: 'r', token: PASSWORD } }), '$response', {
        value: { headers: { 'x-amz-security-token': PASSWORD } },
      }),
    ],
    ['an object', { message: `redis://:${PASSWORD}@h`, password: PASSWORD }],
    ['a function', Object.assign(() => {}, { password: PASSWORD })],
    ['a string', `cannot reach redis://u:${PASSWORD}@h`],
    ['a connection string', error(`cannot parse "host=h password=${PASSWORD} user=u"`)],
    ['a connection string with quotes', error(`cannot parse: password = 'a \\' ${PASSWORD}' host=h`)],
    ['a connection string with a backslash', error(`cannot parse: password=a\\ ${PASSWORD} host=h`)],
    ['a connection string whose quote is not closed', error(`cannot parse: password='a ${PASSWORD}`)],
    ['a connection string of ADO', error(`cannot parse Server=h;Pwd=${PASSWORD};Database=d`)],
    ['a query string', error(`cannot reach postgres://h/d?user=u&password=a&${PASSWORD}&ssl=true`)],
    ['a variable of the environment', error(`PGPASSWORD=${PASSWORD} psql`)],
    ['a secret, a token and a signature', error(`secretAccessKey=${PASSWORD} X-Amz-Security-Token=${PASSWORD}`)],
    ['JSON', error(`Unexpected end: {"user":"u","password": "a \\" ${PASSWORD}"}`)],
    ['options as Node prints them', error(`bad options { host: 'h', password: '${PASSWORD}' }`)],
  ])('%s', (_, thrown) => {
    expect(shows(PASSWORD, thrown)).toBe(true)
    expect(shows(PASSWORD, withoutCredentials(thrown))).toBe(false)
  })
})

describe('an error without credentials', () => {
  const reason = error('connect ECONNREFUSED 127.0.0.1:6379', { code: 'ECONNREFUSED', errno: -111, port: 6379 })
  const original = error('lost', { cause: reason, severity: 'FATAL', command: { name: 'auth' } })

  it('is a copy with the class, the message, the stack, and what says why it happened', () => {
    const copy = withoutCredentials(original)
    expect(copy).not.toBe(original)
    expect(copy).toBeInstanceOf(ReplyError)
    expect(Object(copy).stack).toBe(original.stack?.replace(/^Error/, 'ReplyError'))
    expect(Object(copy).stack).toMatch(/^ReplyError: lost\n +at .*credentials\.test/)
    expect(Object.entries(Object(copy))).toEqual([
      ['severity', 'FATAL'],
      ['cause', reason],
    ])
    expect(Object.entries(Object(copy).cause)).toEqual([
      ['code', 'ECONNREFUSED'],
      ['errno', -111],
      ['port', 6379],
    ])
  })

  it.each([
    ["Access denied for user 'u'@'h' (using password: YES)"],
    ['password authentication failed for user "u"'],
    ["Unexpected token '=' at 3"],
    ['getaddrinfo ENOTFOUND password.example.com'],
    ['see https://redis.io/docs'],
  ])('keeps a message without a password: %s', (message) => {
    expect(Object(withoutCredentials(error(message))).message).toBe(message)
  })

  it.each([
    [
      'cannot parse host=h password=\'a b\' user=u of "token": "c", port 5432',
      'cannot parse host=h password=… user=u of "token": … port 5432',
    ],
    ['cannot reach redis://u:p@h:6379', 'cannot reach redis://…@h:6379'],
    [
      "ERR unknown command 'HELLO', with args beginning with: '3' 'AUTH'",
      "ERR unknown command 'HELLO', with args beginning with: …",
    ],
  ])('keeps what stands around the value: %s', (message, kept) => {
    expect(Object(withoutCredentials(error(message))).message).toBe(kept)
  })

  it('has the class and the stack of an error of another realm, such as the realm of a test runner', () => {
    const foreign: Error = runInNewContext("Object.assign(new TypeError('lost'), { code: 'ECONNRESET' })")
    const copy = Object(withoutCredentials(foreign))
    expect(Object.getPrototypeOf(copy)).toBe(Object.getPrototypeOf(foreign))
    expect(copy.code).toBe('ECONNRESET')
    expect(copy.stack).toMatch(/^TypeError: lost\n +at /)
  })

  it('has the number of the request to AWS', () => {
    const $metadata = { httpStatusCode: 400, requestId: 'R1' }
    expect(Object(withoutCredentials(error('denied', { $metadata }))).$metadata).toEqual($metadata)
  })

  it('has a stack of one line if the error has no stack', () => {
    const bare = error('bare')
    delete bare.stack
    expect(Object(withoutCredentials(bare)).stack).toBe('ReplyError: bare')
  })

  it('can be changed, because some loggers add to the message', () => {
    const changed = Object(withoutCredentials(error('lost', { code: 'ECONNRESET' })))
    changed.message += ' again'
    delete changed.code
    expect(changed).toEqual(error('lost again'))
  })

  it('leaves the original as it is', () => {
    expect(original).toHaveProperty('command')
    expect(withoutCredentials(Object.freeze(error('frozen')))).toEqual(error('frozen'))
  })

  it('keeps the cause and the errors out of JSON, as they were', () => {
    const both = withoutCredentials(new AggregateError([reason], 'all', { cause: reason }))
    expect(Object.keys(Object(both))).toEqual([])
    expect(both).toMatchObject({ cause: reason, errors: [reason] })
  })

  it('is the same error if it is one of this package, whose cause has none', () => {
    const failure = new NonceStoreError('No server listens.', { cause: reason })
    expect(withoutCredentials(failure)).toBe(failure)
  })

  it.each([['text'], [42], [undefined], [null], [true]])('is the same value if it is no object: %s', (value) => {
    expect(withoutCredentials(value)).toBe(value)
  })
})

describe('a function that hides credentials', () => {
  it('passes arguments and results on', async () => {
    expect(await hidingCredentials(async (a: number, b: number) => a + b)(1, 2)).toBe(3)
  })

  it('rejects without credentials, also if the function throws at once', async () => {
    const failure = error('a', { command: PASSWORD })
    for (const call of [
      async () => Promise.reject(failure),
      () => {
        throw failure
      },
    ]) {
      const rejected: unknown = await hidingCredentials(call)().catch((reason: unknown) => reason)
      expect(rejected).toBeInstanceOf(ReplyError)
      expect(rejected).not.toHaveProperty('command')
    }
  })
})
