import { fromBase64 } from '../bytes.js'
import { describeTime } from '../capture/arrival.js'
import { type Header, valuesOf } from '../capture/headers.js'
import { h } from './dom.js'
import { card } from './elements.js'
import type { Details, ReceivedRequest, Summary } from './live-data.js'
import type { CheckReport } from './report.js'
import { sidesView } from './sides-view.js'

/** A request with its bytes, and the report that shows it. */
export interface Attempt {
  readonly details: Details<string>
  /** Absent if the listener does not have the bytes. */
  readonly received?: { readonly request: ReceivedRequest<Uint8Array>; readonly report: CheckReport }
}

export function attemptOf(details: Details<string>): Attempt {
  if (details.received === undefined) return { details }
  const { request, report } = details.received
  const bytes = (text: string) => fromBase64(text) ?? new Uint8Array()
  const body = bytes(request.body)
  const signedMessage = report.signedMessage === undefined ? undefined : bytes(report.signedMessage)
  return { details, received: { request: { ...request, body }, report: { ...report, body, signedMessage } } }
}

/** Returns the verdict of the listener as text: `signature_mismatch`. */
export const verdictOf = ({ ok, reason }: Summary) => (ok ? 'accepted' : String(reason))

const TITLES = ['Earlier', 'Later'] as const

/** Returns the elements that show how two requests differ. */
export function attemptsView(one: Attempt, other: Attempt): HTMLElement[] {
  const [earlier, later] = one.details.summary.id < other.details.summary.id ? [one, other] : [other, one]
  if (earlier.received === undefined || later.received === undefined) {
    return [h('p', {}, 'The listener does not have the bytes of both requests, so they cannot be compared.')]
  }
  const pair = [earlier.received.request, later.received.request] as const
  const names = new Set(pair.flatMap(({ headers }) => headers.map(([name]) => name.toLowerCase())))
  const textOf = (headers: readonly Header[], name: string) => {
    const values = valuesOf(headers, name)
    return values.length === 0 ? '(none)' : values.join(', ')
  }
  const rows = [
    ['Arrived', describeTime(earlier.details.summary.time), describeTime(later.details.summary.time)],
    ['Result', verdictOf(earlier.details.summary), verdictOf(later.details.summary)],
    ['Method and path', ...pair.map(({ method, path }) => `${method} ${path}`)],
    ...[...names].map((name) => [spelled(pair, name), ...pair.map(({ headers }) => textOf(headers, name))]),
  ].filter(([, first, second]) => first !== second)
  const heads = [earlier, later].map(({ details }, index) => `${TITLES[index]}, #${details.summary.id}`)
  const table = h(
    'table',
    { class: 'attempts' },
    h('thead', {}, h('tr', {}, h('td'), ...heads.map((text) => h('th', { scope: 'col' }, text)))),
    h(
      'tbody',
      {},
      ...rows.map(([name = '', ...values]) =>
        h('tr', {}, h('th', { scope: 'row' }, name), ...values.map((text) => h('td', { class: 'mono' }, text))),
      ),
    ),
  )
  const [first, second] = pair.map(({ body }, index) => ({
    name: TITLES[index] ?? '',
    title: `${TITLES[index]}: body of`,
    bytes: body,
  }))
  return [
    card('What differs', table, h('p', { class: 'muted' }, 'Headers that are not listed are the same.')),
    card('Bodies', ...(first && second ? sidesView(first, second) : [])),
  ]
}

/** Returns the name of a header as the sender wrote it. */
function spelled(pair: readonly ReceivedRequest<Uint8Array>[], name: string): string {
  const found = pair.flatMap(({ headers }) => headers).find(([one]) => one.toLowerCase() === name)
  return found?.[0] ?? name
}
