import { expect, it } from 'vitest'
import { concat, hex, utf8 } from '../../../src/bytes.js'
import { LAYOUT_HYPOTHESES, layoutText } from '../../../src/diagnose/hypotheses/layout.js'
import { messageOf } from '../../../src/diagnose/signing-variants.js'
import { proposed } from './proposals.js'

it('a part of the message may be left out', () => {
  const parts = { timestamp: utf8('17'), nonce: utf8('ab'), body: utf8('B'), key: utf8('K') }
  const rows = LAYOUT_HYPOTHESES.filter(({ what }) => what === 'the message `<detail>`')
  const messages = rows.flatMap((row) => proposed(row, [], (layout) => concat(...messageOf({ layout, ...parts }))))
  expect(messages).toContain(hex(utf8('17B')))
})

it('a layout is shown with the names of its parts, and its other text is masked', () => {
  const mask = (text: string) => text.replace('secret', '[secret]')
  const layout = ['<timestamp>', '"', '\n', '<"body">', 'a<nonce>', '<nonce>b', 'secret']
  expect(layoutText(layout, mask)).toBe('timestamp"\\n"body"a<nonce><nonce>b[secret]')
})
