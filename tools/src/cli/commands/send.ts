import { spell } from '../../../../src/rules/formats.js'
import { WINDOW_SECONDS } from '../../../../src/rules/timestamp.js'
import { type Header, valuesOf } from '../../capture/headers.js'
import { maskSecrets } from '../../diagnose/mask-secrets.js'
import { schemeOf } from '../../schemes.js'
import { type Context, defineCommand, type Outcome, UsageError } from '../command.js'
import {
  contentTypeOf,
  type EndpointResponse,
  isAccepted,
  isRejected,
  parseTimeout,
  parseUrl,
  sendRequest,
} from '../http-client.js'
import { readInput } from '../input/read-input.js'
import { parseHeadersToSend, replaceHeaders } from '../input/received.js'
import { readSaved, SAVED_OPTIONS, type SavedRequest } from '../input/saved-request.js'
import { parseScheme, SCHEME_OPTION, schemeNameOf, schemeNotes, signAgain } from '../input/scheme.js'
import { loadSecret, SECRET_OPTIONS, weaknessNotes } from '../input/secret-source.js'
import { printable, type Style, wrapText } from '../output/terminal.js'

export const send = defineCommand({
  name: 'send',
  summary: 'Signs and sends a body, or sends a saved request.',
  operands: ['URL', '[file|-]'],
  options: {
    ...SECRET_OPTIONS,
    ...SCHEME_OPTION,
    header: {
      value: "'Name: value'",
      kind: 'several',
      help: 'adds or replaces a header. The signature does not cover this header',
    },
    ...SAVED_OPTIONS,
    timeout: { value: 'SECONDS', kind: 'number', help: 'how long to wait for the response. Default: 10' },
  },
  notes: [
    'Redirects are not followed. Content-Type is application/json if the body is JSON.',
    'To send mistakes and replays too, use inbound-webhook-tools check.',
    'Exit code: 0 the response is 2xx, 1 another response or none, 2 error.',
  ],
  example: 'send http://localhost:3000/hooks body.json',

  async run(call, context, style) {
    const { values, operands } = call
    const url = parseUrl(operands[0])
    const extra = parseHeadersToSend(values.header)
    const timeout = parseTimeout(values.timeout ?? 10)
    const given = parseScheme(values.scheme)
    const saved = await readSaved(call, context)
    if (saved !== undefined && !values.resign) {
      if (given !== undefined) {
        throw new UsageError('--scheme is for a new signature. Pass --resign too, or leave out --scheme.')
      }
      return sendSaved(saved, { url, extra, timeout }, context, style)
    }
    const body = saved?.body ?? (await readInput(operands[1], 'the body', context))
    const loaded = await loadSecret(call, context)
    // By default, a saved request is signed again with the scheme of its headers.
    const scheme = given ?? schemeNameOf(saved?.headers ?? [])
    const ofSecret = [...loaded.notes, ...weaknessNotes(loaded), ...schemeNotes(scheme, loaded.secret)]
    const notes = [...ofSecret, ...(saved?.notes ?? [])]
    if (body.length === 0) notes.push('The body is empty.')

    const own: readonly Header[] = [
      ['User-Agent', 'inbound-webhook-tools'],
      ['Content-Type', contentTypeOf(body)],
    ]
    const headers: Header[] = [
      ['Host', url.host],
      ...signAgain(scheme, { headers: saved?.headers ?? own, body }, loaded.secret, context.clock),
      ['Content-Length', String(body.length)],
    ]
    const method = saved?.method ?? 'POST'
    const request = { method, url, headers: replaceHeaders(headers, extra), body }
    const response = await sendRequest(request, timeout)
    return outcomeOf(maskResponse(response, loaded.secrets), notes, style)
  },
})

function outcomeOf(response: EndpointResponse, notes: readonly string[], style: Style): Outcome {
  const ok = isAccepted(response)
  return { exitCode: ok ? 0 : 1, text: responseText(response, style), document: { ok, ...response, notes }, notes }
}

/** Returns the response with the secrets masked, because an endpoint under development can print its secret. */
function maskResponse(
  { status, statusText, headers, body }: EndpointResponse,
  secrets: readonly string[],
): EndpointResponse {
  const mask = (text: string) => maskSecrets(text, secrets)
  const masked = Object.entries(headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.map(mask) : mask(String(value)),
  ])
  return { status, statusText: mask(statusText), headers: Object.fromEntries(masked), body: mask(body) }
}

async function sendSaved(
  { method, headers, body, notes: read }: SavedRequest,
  { url, extra, timeout }: { url: URL; extra: readonly Header[]; timeout: number },
  { clock }: Context,
  style: Style,
): Promise<Outcome> {
  const lines: Header[] = [['Host', url.host], ...headers, ['Content-Length', String(body.length)]]
  const response = await sendRequest({ method, url, headers: replaceHeaders(lines, extra), body }, timeout)
  const { timestamp } = schemeOf(headers).headers
  const age = Math.round(clock.now() / 1000 - Number(valuesOf(headers, timestamp).join()))
  const isOld = age > WINDOW_SECONDS && !isAccepted(response)
  const old = `${spell(timestamp)} is ${age} s old, so a correct endpoint refuses the request. --resign signs it again.`
  return outcomeOf(response, isOld ? [...read, old] : read, style)
}

function statusOf({ status, statusText }: EndpointResponse): string {
  return printable(`${status || ''} ${statusText}`).trim()
}

function responseText(response: EndpointResponse, style: Style): string {
  const label = isAccepted(response) ? style(['green', 'bold'], 'Accepted') : style(['red', 'bold'], 'Not accepted')
  const body = printable(response.body, '\n\t').trimEnd()
  const hints = hintsOn(response).map((hint) => wrapText(hint, style))
  const lines = [`${label}: ${statusOf(response)}`, ...(body === '' ? [] : ['', body]), ...hints]
  return `${lines.join('\n')}\n`
}

function hintsOn(response: EndpointResponse): string[] {
  const { status, headers } = response
  if (isRejected(response)) {
    return ["See the endpoint's log for the reason. To find the cause, capture the request there and diagnose it."]
  }
  if (status >= 300 && status <= 399) {
    const { location } = headers
    const where = location === undefined ? 'The response has no Location.' : `Location: ${printable(location)}`
    return [`Redirects are not followed. ${where}`]
  }
  if (status === 503) return ['The endpoint did not decide, maybe because the nonce store is down. Send again later.']
  return status >= 500 ? ["The handler failed. See the endpoint's log for the error."] : []
}
