import { fromBase64, utf8 } from '../bytes.js'
import { LANGUAGES } from '../diagnose/finding.js'
import { textView } from './bytes-view.js'
import { byId, card, FINDINGS, guideLink, h } from './dom.js'
import type { Details, EndpointResponse, Hello, Summary } from './live-data.js'
import type { CheckReport } from './report.js'
import { reportView } from './report-view.js'

// This file shows the page of `listen --page`: a list of requests, and the report on one request. The listener makes the reports.

/** The maximum number of rows in the list. The listener keeps the same number of requests. */
const MAX_ROWS = 500
const PAUSE = 50

interface Row {
  readonly summary: Summary
  readonly item: HTMLElement
  readonly button: HTMLButtonElement
}

export function startLive(): void {
  const rows = new Map<number, Row>()
  const list = byId('request-list')
  const follow = byId<HTMLButtonElement>('follow')
  let hello: Hello | undefined
  let arrived: Summary[] = []
  let shown: number | undefined
  let isFollowing = true
  let hasEnded = false

  function addRows(summaries: readonly Summary[]): void {
    const fresh = summaries.filter(({ id }) => !rows.has(id))
    for (const summary of fresh) {
      const row = rowOf(summary)
      row.button.addEventListener('click', () => {
        setFollowing(false)
        void show(summary.id)
      })
      rows.set(summary.id, row)
    }
    list.prepend(...fresh.map(({ id }) => (rows.get(id) as Row).item).reverse())
    for (const [id, { item }] of rows) {
      if (rows.size <= MAX_ROWS) break
      item.remove()
      rows.delete(id)
    }
    const count = rows.size === MAX_ROWS ? `The last ${MAX_ROWS} requests` : `${rows.size} requests`
    if (rows.size > 0) byId('requests-title').textContent = rows.size === 1 ? '1 request' : count
    document.title = `${byId('requests-title').textContent} · listen`
    byId('no-requests').hidden = rows.size > 0
    list.hidden = rows.size === 0
    const newest = fresh.at(-1)
    if (newest !== undefined && isFollowing) void show(newest.id)
  }

  function setFollowing(value: boolean): void {
    isFollowing = value
    follow.setAttribute('aria-pressed', String(value))
  }

  follow.addEventListener('click', () => {
    setFollowing(!isFollowing)
    const newest = [...rows.keys()].at(-1)
    if (isFollowing && newest !== undefined) void show(newest)
  })

  async function show(id: number): Promise<void> {
    shown = id
    for (const { summary, button } of rows.values()) {
      if (summary.id === id) button.setAttribute('aria-current', 'true')
      else button.removeAttribute('aria-current')
    }
    document.documentElement.dataset['state'] = 'loading'
    const views = await ask<Details<string>>(`requests/${id}`).then(requestView, () => [failureView()])
    // The user has selected another request in the meantime.
    if (shown !== id) return
    byId('live-request').replaceChildren(...views)
    document.documentElement.dataset['shown'] = String(id)
    document.documentElement.dataset['state'] = 'done'
  }

  function failureView(): HTMLElement {
    return h('p', { class: 'warning' }, 'The listener no longer has this request, or has ended.')
  }

  function requestView(details: Details<string>): HTMLElement[] {
    const { summary, forwarded, differences, savedAs, report } = details
    const [className, verdict] = summary.ok ? ['valid', 'Accepted'] : ['broken', `Refused: ${summary.reason}`]
    const answered =
      forwarded === undefined ? `answered ${summary.status}` : `response of the endpoint: ${forwarded.status || 'none'}`
    const about = [`#${summary.id}`, clock(summary.time), summary.detail, summary.agent].filter((text) => text !== '')
    return [
      h('h2', { class: 'target' }, target(summary)),
      h('p', { class: 'muted' }, about.join(' · ')),
      h('p', { class: `verdict ${className}` }, `${verdict}, ${answered}`),
      ...differences.map((line) => h('p', { class: 'warning' }, line)),
      ...(savedAs === undefined ? [] : [h('p', { class: 'muted' }, `Saved as ${savedAs}`)]),
      ...(report === undefined
        ? [h('p', { class: 'card' }, `The listener has no bytes of this request: ${summary.detail}`)]
        : [
            ...sendView(summary),
            ...reportView(decoded(report), LANGUAGES.find((one) => one === hello?.language) ?? ''),
          ]),
    ]
  }

  function sendView({ id }: Summary): HTMLElement[] {
    if (hello?.endpoint === undefined) {
      return [h('p', { class: 'muted' }, 'Start listen with --forward-to URL to send requests again from here.')]
    }
    const button = h('button', { type: 'button' }, 'Sign and send again')
    const outcome = h('div', { id: 'outcome', role: 'status' })
    button.addEventListener('click', async () => {
      button.disabled = true
      const sent = ask<EndpointResponse>(`requests/${id}/sign-and-send`, true)
      outcome.replaceChildren(await sent.then((one) => responseView(one, hello?.endpoint), failureView))
      button.disabled = false
      button.focus()
    })
    return [h('p', {}, button), outcome]
  }

  byId('to-findings').replaceChildren(guideLink(FINDINGS, 'How to read a finding'))
  const events = new EventSource('events')

  events.addEventListener('hello', ({ data }) => {
    hello = JSON.parse(data) as Hello
    byId('listening').textContent = hello.listening
    setStatus('listening', `Listening on ${hello.listening}`)
    addRows(hello.requests)
    if (rows.size === 0) document.documentElement.dataset['state'] = 'done'
  })

  events.addEventListener('request', ({ data }) => {
    if (arrived.push(JSON.parse(data) as Summary) > 1) return
    setTimeout(() => {
      const now = arrived
      arrived = []
      addRows(now)
      const [one] = now
      const text =
        now.length > 1 || one === undefined
          ? `${now.length} new requests`
          : `New request: ${target(one)}, ${verdictOf(one)}`
      byId('announcement').textContent = text
    }, PAUSE)
  })

  events.addEventListener('end', () => {
    hasEnded = true
    events.close()
    setStatus('ended', 'The listener has ended. This page stays until you close the tab.')
  })

  events.addEventListener('error', () => {
    if (!hasEnded) setStatus('lost', 'The listener does not respond. This page tries again.')
  })
}

function decoded(report: NonNullable<Details<string>['report']>): CheckReport {
  const bytes = (text: string) => fromBase64(text) ?? new Uint8Array()
  const signedMessage = report.signedMessage === undefined ? undefined : bytes(report.signedMessage)
  return { ...report, body: bytes(report.body), signedMessage }
}

function setStatus(state: string, text: string): void {
  const status = byId('live-status')
  status.dataset['state'] = state
  status.textContent = text
}

function rowOf(summary: Summary): Row {
  const { time, ok, finding } = summary
  const button = h(
    'button',
    { type: 'button' },
    h('span', { class: 'time' }, clock(time)),
    h('span', { class: `mark ${ok ? 'met' : 'broken'}` }, `${ok ? '✓' : '✗'} ${verdictOf(summary)}`),
    h('span', { class: 'target' }, target(summary)),
    finding === undefined ? undefined : h('span', { class: 'first-finding muted' }, finding),
  )
  return { summary, button, item: h('li', { 'data-id': String(summary.id) }, button) }
}

const verdictOf = ({ ok, reason }: Summary) => (ok ? 'accepted' : String(reason))

const clock = (time: number) => `${new Date(time).toISOString().slice(11, 19)}Z`

const target = ({ method, path }: { method: string; path: string }) => `${method} ${path}`.trim() || 'A connection'

async function ask<T>(path: string, isAction = false): Promise<T> {
  const action = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' }
  const response = await fetch(path, isAction ? action : {})
  if (!response.ok) throw new Error(response.statusText)
  return response.json()
}

function responseView({ status, statusText, headers, body }: EndpointResponse, endpoint = ''): HTMLElement {
  const className = status >= 200 && status <= 299 ? 'valid' : 'broken'
  const verdict = status === 0 ? `The endpoint gave ${statusText}` : `The endpoint responded ${status} ${statusText}`
  const lines = headers.map(([name, value]) => `${name}: ${value}\n`).join('')
  return card(
    `Sent to ${endpoint} at ${clock(Date.now())}`,
    h('p', { class: `verdict ${className}` }, verdict),
    textView('Headers and body of the response', utf8(`${lines}\n${body}`.trim())),
  )
}
