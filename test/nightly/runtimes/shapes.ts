import assert from 'node:assert/strict'
import { BYTES, SHAPES, TEXT, WIDER } from '../../support/cases/bodies.js'
import { ABSENT, FOUND, type Shape, TWICE } from '../../support/cases/headers.js'
import { signedRequest } from '../../support/request.js'
import { type Case, type Core, resultOf } from './case.js'

export function headerShapes(core: Core): Case[] {
  const found = (shapes: readonly Shape[], expected: string) =>
    shapes.map(([name, headers]) => ({
      name: `headers, ${expected}: ${name}`,
      run: async () => assert.equal(await resultOf(core, { ...signedRequest(), headers: headers() }), expected),
    }))
  return [...found(FOUND, 'accepted'), ...found(TWICE, 'invalid_nonce'), ...found(ABSENT, 'missing_header')]
}

export function bodyShapes(core: Core): Case[] {
  const accepts = (name: string, signed: Uint8Array, body: () => unknown) => ({
    name: `a body: ${name}`,
    run: async () => {
      const request = Object.assign(signedRequest({ body: signed }), { body: await body() })
      assert.equal(await resultOf(core, request as Parameters<Core['verify']>[0]), 'accepted')
    },
  })
  return [
    ...SHAPES.map(([name, body]) => accepts(name, BYTES, body)),
    ...WIDER.map(([name, body]) => accepts(name, BYTES.subarray(2, 6), body)),
    accepts('text', new TextEncoder().encode(TEXT), () => TEXT),
    {
      name: 'a body: read before the promise is returned',
      async run() {
        const body = Uint8Array.from(BYTES)
        const got = resultOf(core, signedRequest({ body }))
        body.fill(0)
        assert.equal(await got, 'accepted')
      },
    },
  ]
}
