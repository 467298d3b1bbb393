import { describe, expect, it } from 'vitest'
import { concat, hex, utf8 } from '../../../src/bytes.js'
import type { RequestContext } from '../../../src/diagnose/hypotheses/hypothesis.js'
import { CORRECT_LAYOUT, LAYOUT_HYPOTHESES, layoutText } from '../../../src/diagnose/hypotheses/layout.js'
import { messageOf } from '../../../src/diagnose/signing-variants.js'
import { CONTEXT, listOf, proposed } from './proposals.js'

it('a part of the message may be left out', () => {
  const parts = { timestamp: utf8('17'), nonce: utf8('ab'), body: utf8('B'), key: utf8('K') }
  const rows = LAYOUT_HYPOTHESES.filter(({ what }) => what === 'the message `<detail>`')
  const messages = rows.flatMap((row) =>
    proposed(row, CORRECT_LAYOUT, (layout) => concat(...messageOf({ layout, ...parts }))),
  )
  expect(messages).toContain(hex(utf8('17B')))
})

it('a layout is shown with the names of its parts, and its other text is masked', () => {
  const mask = (text: string) => text.replace('secret', '[secret]')
  const layout = ['<timestamp>', '"', '\n', '<"body">', 'a<nonce>', '<nonce>b', 'secret']
  expect(layoutText(layout, mask)).toBe('timestamp"\\n"body"a<nonce><nonce>b[secret]')
})

describe('the method, path and URL of a layout', () => {
  const [row] = LAYOUT_HYPOTHESES.filter(({ what }) => what.includes('`method\\nurl\\n'))
  const begins = (headers: RequestContext['headers']) => {
    const applied = row?.apply(CORRECT_LAYOUT, { ...CONTEXT, headers })
    const variants = applied !== undefined && 'variants' in applied ? applied.variants : []
    return listOf(variants).map(({ value }) => value.slice(0, 3).join(''))
  }

  it.each<[string, string]>([
    ['x-forwarded-uri', 'POST\nhttps://localhost/in'],
    ['x-original-uri', 'POST\nhttps://localhost/in'],
    ['x-original-url', 'POST\nhttps://localhost/in'],
    ['x-envoy-original-path', 'POST\nhttps://localhost/in'],
    ['x-forwarded-host', 'POST\nhttps:///in/'],
    [':authority', 'POST\nhttps:///in/'],
    [':method', '/in\nhttps://localhost/'],
  ])('are in the header %s', (name, begin) => {
    expect(begins([[name, '/in']])[0]).toBe(begin)
  })

  it('may be without the query', () => {
    const urls = ['/in?a=1', '/in'].flatMap((path) => [
      `POST\nhttps://localhost${path}`,
      `POST\nhttp://localhost${path}`,
    ])
    expect(begins([[':path', '/in?a=1']])).toEqual(urls)
  })
})
