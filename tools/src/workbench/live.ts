import { concat, utf8 } from '../bytes.js'
import { type Header, isOfConnection } from '../capture/headers.js'
import { httpText, markOf } from '../capture/write-request.js'
import { LANGUAGES } from '../diagnose/finding.js'
import { countBytes } from '../text.js'
import { type Attempt, attemptOf, attemptsView, verdictOf } from './attempts-view.js'
import { textView } from './bytes-view.js'
import { byId, h } from './dom.js'
import { card, copyable } from './elements.js'
import type { Details, EndpointAnswer, Hello, SignedAgain, Summary } from './live-data.js'
import type { CheckReport } from './report.js'
import { snippetOf } from './snippets.js'

// The list of requests that `listen --page` adds to the workbench. The listener does all the work, and this file shows the results.

/** The parts of the workbench that the list uses. */
export interface Workbench {
  select(tab: 'check' | 'compare' | 'sign'): void
  /** Shows a report, and puts the request into the form. */
  show(report: CheckReport, capture: Uint8Array, time: number): void
  /** Shows no report. */
  clear(): void
  setLanguage(language: string): void
  /** Calls `listener` when somebody changes the secret or the request by hand. */
  whenChanged(listener: () => void): void
}

/** How many rows the list has at most, which is the number that the listener keeps, and how many whole requests the page keeps. */
const MAX_ROWS = 500
const MAX_REMEMBERED = 50
/** Requests that arrive within this many milliseconds are shown together. */
const PAUSE = 50

interface Row {
  readonly summary: Summary
  readonly item: HTMLElement
  readonly button: HTMLButtonElement
}

export function startLive(workbench: Workbench): void {
  fold('capture-card', 'Change the request by hand', byId('after-check'))
  fold('secret-card', 'Enter another secret by hand', byId('after-panels'))
  /** The rows by the number of the request, the oldest first. */
  const rows = new Map<number, Row>()
  const remembered = new Map<number, Attempt>()
  const list = byId('request-list')
  const request = byId('live-request')
  const other = byId<HTMLSelectElement>('other-attempt')
  const follow = byId<HTMLButtonElement>('follow')
  let hello: Hello | undefined
  let arrived: Summary[] = []
  let shown: number | undefined
  let isFollowing = true
  let hasEnded = false

  // The list.

  function addRows(summaries: readonly Summary[]): void {
    const fresh = summaries.filter(({ id }) => !rows.has(id))
    for (const summary of fresh) {
      const row = rowOf(summary)
      row.button.addEventListener('click', () => choose(summary.id))
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
    byId('requests').classList.toggle('empty', rows.size === 0)
    if (fresh.length > 0 && isFollowing) void show(fresh.at(-1)?.id as number)
    else if (fresh.length > 0) listOthers()
    moveTabStop()
  }

  /** Puts one row into the tab order: the one that is shown, or else the newest. The arrow keys move from there. */
  function moveTabStop(): void {
    const stop = rows.get(shown ?? -1) ?? [...rows.values()].at(-1)
    for (const row of rows.values()) {
      const isShown = row.summary.id === shown
      row.button.tabIndex = row === stop ? 0 : -1
      if (isShown) row.button.setAttribute('aria-current', 'true')
      else row.button.removeAttribute('aria-current')
    }
  }

  list.addEventListener('keydown', (event) => {
    const newestFirst = [...rows.keys()].reverse()
    const at = newestFirst.findIndex((id) => rows.get(id)?.button === document.activeElement)
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: newestFirst.length - 1 }[event.key]
    const id = to === undefined ? undefined : newestFirst[to]
    if (id === undefined) return
    event.preventDefault()
    choose(id)
    rows.get(id)?.button.focus()
  })

  function setFollowing(value: boolean): void {
    isFollowing = value
    follow.setAttribute('aria-pressed', String(value))
  }

  follow.addEventListener('click', () => {
    setFollowing(!isFollowing)
    const newest = [...rows.keys()].at(-1)
    if (isFollowing && newest !== undefined) void show(newest)
  })

  function choose(id: number): void {
    setFollowing(false)
    workbench.select('check')
    void show(id)
  }

  // One request.

  async function load(id: number): Promise<Attempt> {
    const known = remembered.get(id)
    if (known !== undefined) return known
    const attempt = attemptOf(await ask<Details<string>>(`requests/${id}`))
    remembered.set(id, attempt)
    if (remembered.size > MAX_REMEMBERED) remembered.delete(remembered.keys().next().value as number)
    return attempt
  }

  async function show(id: number): Promise<void> {
    shown = id
    moveTabStop()
    document.documentElement.dataset['state'] = 'loading'
    let attempt: Attempt
    try {
      attempt = await load(id)
    } catch (error) {
      if (shown !== id) return
      workbench.clear()
      request.replaceChildren(h('p', { class: 'warning' }, messageOfFailure(error)))
      document.documentElement.dataset['state'] = 'done'
      return
    }
    // The reader has chosen another request meanwhile.
    if (shown !== id) return
    const { details, received } = attempt
    request.replaceChildren(...headView(attempt))
    request.hidden = false
    byId('by-hand').hidden = true
    if (received === undefined) {
      workbench.clear()
    } else {
      const { method, path, headers, body } = received.request
      // Content-Length is left out, so that the reader can edit the body.
      const head = headers.filter(([name]) => !isOfConnection(name))
      workbench.show(received.report, concat(...httpText(method, path, head, body)), details.summary.time)
    }
    listOthers()
    document.documentElement.dataset['shown'] = String(id)
    document.documentElement.dataset['state'] = 'done'
  }

  function messageOfFailure(error: unknown): string {
    if (hasEnded) return 'The listener has ended, so this request can no longer be loaded.'
    return error instanceof NotFound
      ? 'The listener no longer has this request. It keeps the last 500.'
      : 'The listener does not answer.'
  }

  function headView(attempt: Attempt): HTMLElement[] {
    const { summary, forwarded, differences, savedAs, findings } = attempt.details
    const { received } = attempt
    const count = findings.length === 1 ? ' (1 finding)' : findings.length > 1 ? ` (${findings.length} findings)` : ''
    const [className, verdict] = summary.ok ? ['genuine', 'Accepted'] : ['broken', `Refused: ${summary.reason}`]
    const about = [
      `#${summary.id}`,
      clock(summary.time),
      summary.detail,
      ...(summary.agent === '' ? [] : [summary.agent]),
    ]
    const answered =
      forwarded === undefined
        ? `answered ${summary.status}`
        : `and the endpoint answered ${forwarded.status || 'nothing'}`
    return [
      h('h2', { class: 'target' }, target(received?.request ?? summary)),
      h('p', { class: 'muted' }, about.join(' · ')),
      h('p', { class: `verdict ${className}` }, `${verdict}${count}, ${answered}`),
      ...(differences.length === 0
        ? []
        : [h('div', { class: 'warning' }, ...differences.map((line) => h('p', {}, line)))]),
      ...(savedAs === undefined ? [] : [h('p', { class: 'muted' }, `Saved as ${savedAs}`)]),
      ...(received === undefined ? [noBytesView(summary)] : actionsView(attempt, received)),
    ]
  }

  // The buttons that do something with a request.

  function actionsView({ details }: Attempt, received: NonNullable<Attempt['received']>): HTMLElement[] {
    const { id } = details.summary
    const { isMasked } = received.request
    const outcome = h('div', { id: 'outcome', role: 'status' })
    const action = (name: string, act: () => unknown, isOff = false) => {
      const button = h('button', { type: 'button', disabled: isOff }, name)
      button.addEventListener('click', async () => {
        button.disabled = true
        try {
          outcome.replaceChildren(...[await act()].flat().filter((part): part is Node => part instanceof Node))
        } catch (error) {
          outcome.replaceChildren(h('p', { class: 'warning' }, messageOfFailure(error)))
        }
        button.disabled = false
        button.focus()
      })
      return button
    }
    const sendBy = (name: string, how: string) =>
      action(name, async () => answerView(await ask<EndpointAnswer>(`requests/${id}/${how}`, true), hello?.endpoint))
    const sign = async () => {
      const { headers } = await ask<SignedAgain>(`requests/${id}/sign`, true)
      const text = headers.map(([name, value]) => `${name}: ${value}`).join('\n')
      return card(
        `Signed at ${clock(Date.now())}`,
        h('p', {}, 'The listener signed this body with its secret. The headers are valid for 300 s, and once.'),
        copyable(text, 'The signed headers'),
        ...(isMasked ? [] : [copyable(curlOf(received, hello, headers), 'The signed request for curl')]),
      )
    }
    const canSend = hello?.endpoint !== undefined
    return [
      ...(isMasked
        ? [
            h(
              'p',
              { class: 'warning' },
              'This request carries a part of the secret. This page shows [secret] instead, so it cannot copy or save the request. listen --save keeps it whole.',
            ),
          ]
        : []),
      h(
        'div',
        { class: 'buttons', role: 'group', 'aria-label': 'This request' },
        action('Copy as curl', () => copy(curlOf(received, hello)), isMasked),
        action('Save as a file', () => save(attemptFile(details.summary, received), `request-${id}.http`), isMasked),
        action('Compare with another', () => compareWithAnother(), rows.size < 2),
        action('Sign it again', sign),
        ...(canSend ? [sendBy('Send it again', 'send'), sendBy('Sign and send', 'sign-and-send')] : []),
      ),
      ...(canSend
        ? []
        : [h('p', { class: 'muted' }, 'Start listen with --forward-to URL to send requests again from here.')]),
      outcome,
    ]
  }

  // Two attempts.

  /** Lists the other requests. By default, the last request of the same sender before the shown one is chosen. */
  function listOthers(): void {
    const mine = rows.get(shown ?? -1)?.summary
    const others = [...rows.values()]
      .map(({ summary }) => summary)
      .filter(({ id }) => id !== shown)
      .reverse()
    const isSame = ({ path, agent }: Summary) => path === mine?.path && agent === mine?.agent
    const before = others.filter(({ id }) => id < (shown ?? 0))
    const likely = before.find(isSame) ?? others.find(isSame) ?? before[0] ?? others[0]
    const kept = other.dataset['for'] === String(shown) ? other.value : ''
    other.replaceChildren(
      ...others.map((summary) => {
        const { id, time } = summary
        return h('option', { value: String(id) }, `#${id} ${clock(time)} ${target(summary)} ${verdictOf(summary)}`)
      }),
    )
    other.value = kept || String(likely?.id ?? '')
    other.dataset['for'] = String(shown)
    byId('attempts').hidden = others.length === 0
    // The bytes of another request are loaded when somebody looks at them.
    if (!byId('panel-compare').hidden) void showAttempts()
    else byId('attempts-result').replaceChildren()
  }

  async function showAttempts(): Promise<void> {
    const [one, two] = [shown, Number(other.value)]
    if (one === undefined || two === 0) return
    try {
      const attempts = await Promise.all([load(one), load(two)])
      if (one === shown && two === Number(other.value))
        byId('attempts-result').replaceChildren(...attemptsView(...attempts))
    } catch (error) {
      byId('attempts-result').replaceChildren(h('p', { class: 'warning' }, messageOfFailure(error)))
    }
  }

  function compareWithAnother(): void {
    setFollowing(false)
    workbench.select('compare')
    void showAttempts()
    setTimeout(() => other.focus())
  }

  other.addEventListener('change', () => void showAttempts())
  byId('tab-compare').addEventListener('click', () => void showAttempts())

  // After a change by hand, the form has another request, so the received request is hidden.

  workbench.whenChanged(() => {
    setFollowing(false)
    if (shown === undefined || byId('by-hand').hidden === false) return
    byId('by-hand').hidden = false
    request.hidden = true
  })
  byId('back').addEventListener('click', () => shown !== undefined && void show(shown))

  // The events.

  const events = new EventSource('events')

  events.addEventListener('hello', ({ data }) => {
    const first = hello === undefined
    hello = JSON.parse(data) as Hello
    if (first) workbench.setLanguage(LANGUAGES.find((one) => one === hello?.language) ?? '')
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
    setStatus('ended', 'The listener has ended. What you see stays until you close this tab.')
  })

  events.addEventListener('error', () => {
    if (!hasEnded) setStatus('lost', 'The listener does not answer. This page tries again.')
  })
}

/** Moves a part of the form below the results, behind a line that opens it. */
function fold(id: string, summary: string, to: HTMLElement): void {
  to.append(h('details', { class: 'fold' }, h('summary', {}, summary), byId(id)))
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
    { type: 'button', tabindex: '-1' },
    h('span', { class: 'time' }, clock(time)),
    h('span', { class: `mark ${ok ? 'met' : 'broken'}` }, `${ok ? '✓' : '✗'} ${verdictOf(summary)}`),
    h('span', { class: 'target' }, target(summary)),
    finding === undefined ? undefined : h('span', { class: 'first-finding' }, finding),
  )
  return { summary, button, item: h('li', { 'data-id': String(summary.id) }, button) }
}

/** The reasons of requests that `listen` did not read to their end. */
const UNREAD_REASONS = [
  'malformed_request',
  'body_too_large',
  'body_timeout',
  'body_aborted',
  'memory_full',
  'foreign_host',
  'web_page',
]

function noBytesView({ reason, detail }: Summary): HTMLElement {
  const why = UNREAD_REASONS.includes(String(reason))
    ? `It was not read to its end, so there is nothing to check: ${detail}`
    : 'The listener has dropped its bytes, because it keeps 64 MiB of them.'
  return h('p', { class: 'card' }, why)
}

/** Returns the time of day in UTC, as the terminal shows it. */
const clock = (time: number) => `${new Date(time).toISOString().slice(11, 19)}Z`

const target = ({ method, path }: { method: string; path: string }) => `${method} ${path}`.trim() || 'A connection'

class NotFound extends Error {}

async function ask<T>(path: string, isAction = false): Promise<T> {
  const action = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' }
  const response = await fetch(path, isAction ? action : {})
  if (!response.ok) throw new NotFound()
  return response.json()
}

/** Returns the request for curl, with other signature headers if there are some. */
function curlOf(
  { request }: NonNullable<Attempt['received']>,
  hello: Hello | undefined,
  signed: readonly Header[] = [],
): string {
  const replaced = new Set(['host', ...signed.map(([name]) => name.toLowerCase())])
  const own = request.headers.filter(([name]) => !isOfConnection(name) && !replaced.has(name.toLowerCase()))
  // curl would add these headers, and some servers treat a request with these headers differently.
  const added = ['User-Agent', 'Accept', 'Content-Type'].filter(
    (name) => !own.some(([one]) => one.toLowerCase() === name.toLowerCase()),
  )
  const url = addressOf(request.path, hello)
  return snippetOf('curl', { ...request, url, headers: [...own, ...signed], without: added })
}

/** Returns where to send a request again: to the endpoint if there is one, and otherwise to the listener. */
function addressOf(path: string, hello: Hello | undefined): string {
  const base = new URL(hello?.endpoint ?? hello?.listening ?? location.origin)
  const hasPath = base.pathname !== '/' || base.search !== ''
  return hasPath ? base.href : `${base.origin}${path.startsWith('/') ? path : '/'}`
}

/** Copies a text, and resolves to an element that shows the text, so that it can be copied by hand too. */
async function copy(text: string): Promise<HTMLElement> {
  const isCopied = await navigator.clipboard.writeText(text).then(
    () => true,
    () => false,
  )
  return card(isCopied ? 'Copied' : 'Copy it from here', copyable(text, 'The request for curl'))
}

/** Returns a request as `captureRequest` writes it. */
function attemptFile({ time }: Summary, { request }: NonNullable<Attempt['received']>): Uint8Array {
  const { method, path, headers, body } = request
  return concat(utf8(`${markOf(time, body.length)}\r\n`), ...httpText(method, path, headers, body))
}

function save(bytes: Uint8Array, name: string): HTMLElement {
  const address = URL.createObjectURL(
    new Blob([bytes as Uint8Array<ArrayBuffer>], { type: 'application/octet-stream' }),
  )
  h('a', { href: address, download: name }).click()
  setTimeout(() => URL.revokeObjectURL(address), 10_000)
  const command = `npx inbound-webhook-tools diagnose ${name} --secret-env WEBHOOK_SECRET`
  return card(
    `Saved as ${name}`,
    h('p', {}, 'It has the exact bytes and the time. Diagnose it again with:'),
    copyable(command, 'The command'),
  )
}

function answerView({ status, statusText, headers, body }: EndpointAnswer, endpoint: string | undefined): HTMLElement {
  const className = status >= 200 && status <= 299 ? 'genuine' : 'broken'
  const lines = headers.map(([name, value]) => `${name}: ${value}`).join('\n')
  const bytes = utf8(body)
  return card(
    `Sent to ${endpoint} at ${clock(Date.now())}`,
    h(
      'p',
      { class: `verdict ${className}` },
      status === 0 ? `It gave ${statusText}` : `It answered ${status} ${statusText}`,
    ),
    ...(lines === ''
      ? []
      : [h('pre', { class: 'wrap', tabindex: '0', role: 'region', 'aria-label': 'Headers of the answer' }, lines)]),
    ...(bytes.length === 0
      ? []
      : [
          h('p', {}, `Its body, ${countBytes(bytes.length)}:`),
          textView([{ name: 'answer', bytes }], 'Body of the answer'),
        ]),
  )
}
