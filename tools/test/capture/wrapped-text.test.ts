import { expect, it } from 'vitest'
import { fromLatin1, latin1 } from '../../src/bytes.js'
import { readBurp, readTable } from '../../src/capture/wrapped-text.js'

const textOf = (bytes: Uint8Array | undefined) => bytes && fromLatin1(bytes)
const SIGNED = 'POST / HTTP/1.1\nX-Signature: a\n\nb'
const OTHER = 'POST / HTTP/1.1\nHost: a\n\n'
const inBase64 = (text: string) => btoa(text).replace(/.{8}/g, '$&\n')
const item = (text: string, encoding = 'false', space = '') =>
  `<request base64="${encoding}">${space}<![CDATA[${text}]]></request>`

it.each([
  ['plain', item(SIGNED), SIGNED],
  ['in base64, over several lines', item(inBase64(SIGNED), 'true'), SIGNED],
  [
    'after others',
    `${item(OTHER)}${item('%', 'true')}${item(inBase64(OTHER), 'true')}${item(SIGNED)}${item(`${SIGNED}c`)}`,
    SIGNED,
  ],
  ['without a signature', item(OTHER), undefined],
])('a request in an export of Burp is %s', (_, xml, text) => {
  expect(textOf(readBurp(latin1(xml)))).toBe(text)
})

const ROW = { 'x-signature': 'a', 'x-nonce': 'b', body: 'c' }

it.each<[string, string, readonly object[]]>([
  ['commas', 'X-Signature,X-Nonce,Body\na,b,c\n', [ROW]],
  ['semicolons', 'X-Signature;X-Nonce;Body\na;b;c', [ROW]],
  ['tabs, with CRLF', 'X-Signature\tX-Nonce\tBody\r\na\tb\tc\r\n', [ROW]],
  ['quotes', '"X-Signature","X-Nonce","Body"\n"a","b","c, ""d""\ne"\n', [{ ...ROW, body: 'c, "d"\ne' }]],
  ['missing cells', 'x-signature,x-nonce,body\na\n', [{ ...ROW, 'x-nonce': '', body: '' }]],
  ['several rows', 'x-signature,x-nonce,body\na,b,c\nd,e,f', [ROW, { 'x-signature': 'd', 'x-nonce': 'e', body: 'f' }]],
  [
    'headers in one column',
    'id,headers,body\n1,x,y\n2,webhook-signature: a,b\n',
    [{ id: '2', headers: 'webhook-signature: a', body: 'b' }],
  ],
  ['two columns', 'x-signature,body\na,b\n', []],
  ['no names of headers', 'id,nonce,body\n1,2,x-signature\n', []],
])('a table has %s', (_, text, rows) => {
  expect(readTable(text)).toEqual(rows)
})
