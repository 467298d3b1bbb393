import { base64, fromLatin1, hex, latin1 } from '../bytes.js'

/** A signed request to write as code. */
export interface SignedRequest {
  /** The method, which only the code for curl uses. The code in other languages sends a POST, which is the default. */
  readonly method?: string
  readonly url: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** The headers that curl must not add by itself. */
  readonly without?: readonly string[]
  readonly body: Uint8Array
}

export const SNIPPET_LANGUAGES = ['curl', 'Node', 'Python', 'PHP', 'Go', 'Ruby', 'Java', 'C#'] as const
export type SnippetLanguage = (typeof SNIPPET_LANGUAGES)[number]

/** Returns visible ASCII in quotes for languages with double quotes and backslashes. */
const double = (text: string) => `"${text.replace(/[\\"]/g, '\\$&')}"`
/** Returns text in quotes for PHP and Ruby, where single quotes interpolate nothing. */
const single = (text: string) => `'${text.replace(/[\\']/g, '\\$&')}'`
/** Returns text in quotes for Java, in pieces that are short enough for constants. */
const pieces = (text: string) =>
  text.length <= MAX_TEXT
    ? double(text)
    : `String.join("",\n      ${(text.match(new RegExp(`.{1,${MAX_TEXT}}`, 'g')) ?? []).map(double).join(',\n      ')})`
/** Returns text in quotes for a shell. Bytes beyond ASCII are written as escapes, because a terminal would send them as UTF-8. */
const shell = (text: string) =>
  /^[ -~]*$/.test(text)
    ? `'${text.replaceAll("'", `'\\''`)}'`
    : `$'${text.replace(/[\\']/g, '\\$&').replace(/[^ -~]/g, (one) => `\\x${hex(latin1(one))}`)}'`

/** A longer body makes code that editors and terminals cannot handle. */
export const MAX_SNIPPET_BODY = 2 ** 20

/** A longer text cannot be an argument of curl (Linux: 128 KiB) or a constant of Java (64 KiB). */
const MAX_TEXT = 2 ** 15

/**
 * Returns code that sends the request with exactly these headers and bytes. A body that is long, or not plain ASCII, is in
 * base64.
 */
export function snippetOf(language: SnippetLanguage, { url, body, ...rest }: SignedRequest): string {
  const text = body.length <= MAX_TEXT ? fromLatin1(body) : undefined
  const plain = text !== undefined && /^[ -~]*$/.test(text) ? text : undefined
  return WRITERS[language]({ ...rest, url: portableUrl(url), body }, plain, base64(body))
}

/**
 * Returns a URL with the characters encoded that Java and Ruby refuse, or that curl reads as a pattern. The fragment is left out,
 * because a request has none.
 */
function portableUrl(url: string): string {
  const { origin, pathname, search } = new URL(url)
  return `${origin}${`${pathname}${search}`.replace(/[[\]{}|\\^`"']/g, encode)}`
}

const encode = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`

type Writer = (request: SignedRequest, plain: string | undefined, encoded: string) => string

const WRITERS: { readonly [language in SnippetLanguage]: Writer } = {
  curl: ({ method = 'POST', url, headers, without = [] }, plain, encoded) => {
    const option = method === 'POST' ? '' : method === 'HEAD' ? ' --head' : ` -X ${shell(method)}`
    const hasNoBody = plain === '' && method !== 'POST'
    const lines = [
      `curl -i${option} ${shell(url)}`,
      // With a colon, curl would leave out a header without a value.
      ...headers.map(([name, value]) => `-H ${shell(value === '' ? `${name};` : `${name}: ${value}`)}`),
      ...without.map((name) => `-H ${shell(`${name}:`)}`),
      ...(hasNoBody ? [] : [plain === undefined ? '--data-binary @-' : `--data-raw ${shell(plain)}`]),
    ].join(' \\\n  ')
    return plain === undefined ? `printf %s ${shell(encoded)} | base64 -d |\n${lines}` : lines
  },

  Node: ({ url, headers }, plain, encoded) =>
    `const response = await fetch(${double(url)}, {
  method: "POST",
  headers: {
${headers.map(([name, value]) => `    ${double(name)}: ${double(value)},`).join('\n')}
  },
  body: ${plain === undefined ? `Buffer.from(${double(encoded)}, "base64")` : double(plain)},
})
console.log(response.status, await response.text())`,

  Python: ({ url, headers }, plain, encoded) =>
    `import ${plain === undefined ? 'base64, ' : ''}urllib.request

request = urllib.request.Request(
    ${double(url)},
    method="POST",
    headers={
${headers.map(([name, value]) => `        ${double(name)}: ${double(value)},`).join('\n')}
    },
    data=${plain === undefined ? `base64.b64decode(${double(encoded)})` : `b${double(plain)}`},
)
print(urllib.request.urlopen(request).status)`,

  PHP: ({ url, headers }, plain, encoded) =>
    `<?php
$context = stream_context_create(['http' => [
    'method' => 'POST',
    'header' => [
${headers.map(([name, value]) => `        ${single(`${name}: ${value}`)},`).join('\n')}
    ],
    'content' => ${plain === undefined ? `base64_decode(${single(encoded)})` : single(plain)},
    'ignore_errors' => true,
]]);
echo file_get_contents(${single(url)}, false, $context), $http_response_header[0], "\\n";`,

  Go: ({ url, headers }, plain, encoded) =>
    `package main

import (
	"bytes"
${plain === undefined ? '	"encoding/base64"\n' : ''}	"fmt"
	"net/http"
)

func main() {
${plain === undefined ? `	body, _ := base64.StdEncoding.DecodeString(${double(encoded)})` : `	body := []byte(${double(plain)})`}
	request, _ := http.NewRequest("POST", ${double(url)}, bytes.NewReader(body))
${headers.map(([name, value]) => `	request.Header.Set(${double(name)}, ${double(value)})`).join('\n')}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		panic(err)
	}
	fmt.Println(response.Status)
}`,

  Ruby: ({ url, headers }, plain, encoded) =>
    `require 'net/http'

body = ${plain === undefined ? `${single(encoded)}.unpack1('m')` : single(plain)}
response = Net::HTTP.post(URI(${single(url)}), body, {
${headers.map(([name, value]) => `  ${single(name)} => ${single(value)},`).join('\n')}
})
puts response.code`,

  Java: ({ url, headers }, plain, encoded) =>
    `import java.net.URI;
import java.net.http.*;

class Send {
  public static void main(String[] args) throws Exception {
    byte[] body = ${plain === undefined ? `java.util.Base64.getDecoder().decode(${pieces(encoded)})` : `${double(plain)}.getBytes("UTF-8")`};
    var request = HttpRequest.newBuilder(URI.create(${double(url)}))
${headers.map(([name, value]) => `      .header(${double(name)}, ${double(value)})`).join('\n')}
      .POST(HttpRequest.BodyPublishers.ofByteArray(body)).build();
    System.out.println(HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString()).statusCode());
  }
}`,

  'C#': ({ url, headers }, plain, encoded) => {
    // The content has Content-Type, and the request has all other headers.
    const isOfContent = ([name]: readonly [string, string]) => name === 'Content-Type'
    return `var body = ${plain === undefined ? `Convert.FromBase64String(${double(encoded)})` : `System.Text.Encoding.UTF8.GetBytes(${double(plain)})`};
using var request = new HttpRequestMessage(HttpMethod.Post, ${double(url)}) { Content = new ByteArrayContent(body) };
${headers
  .map(
    (header) =>
      `request.${isOfContent(header) ? 'Content.Headers' : 'Headers'}.TryAddWithoutValidation(${double(header[0])}, ${double(header[1])});`,
  )
  .join('\n')}
using var client = new HttpClient();
Console.WriteLine((int)(await client.SendAsync(request)).StatusCode);`
  },
}
