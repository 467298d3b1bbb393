import { setImmediate as nextTurn } from 'node:timers/promises'
import { assertOptions } from '../../src/arguments.js'
import type { Clock } from '../../src/clock.js'
import { MAX_LINE, oneLine } from '../../src/describe-error.js'
import { codeOf, type WebhookRejectedError } from '../../src/errors.js'
import type { RefusalLog } from '../../src/refuse.js'
import type { WebhookRequest } from '../../src/request.js'
import type { StandardSecret } from '../../src/standard-webhooks/secret.js'
import { within } from '../../src/within.js'
import { findingsText } from './cli/output/findings.js'
import { diagnose } from './diagnose/index.js'

/** Options of {@link explain}. */
interface ExplainOptions {
  /** Writes a line, as the option `log` of `refuse` does. The default writes the message to `console`. */
  log?: ((entry: RefusalLog) => void) | undefined
  /** The clock that you pass to `handle` or `receive`, by default `Date`. */
  clock?: Clock | undefined
}

/** Finds the secret of a webhook by its ID. */
type FindSecret = (webhookId: string) => StandardSecret | null | undefined | Promise<StandardSecret | null | undefined>

const MAX_BODY_BYTES = 65_536

/** After an explanation, none begins for 50 times as long, because anybody can send requests that are refused. */
const REST = 50

/** How long the function that finds the secret may take, in milliseconds. */
const MAX_SEARCH = 10_000
const HOUR = 3_600_000

/** The explanations of this process, because a handler can call `explain` for each request. */
const explained = { isRunning: false, restsUntil: 0, times: new Map<string, number>() }

const PLAIN = Object.assign((_: unknown, text: string) => text, { width: Number.POSITIVE_INFINITY })

/**
 * Returns a `log` for `refuse` and `refusal`. It writes the usual line, and then a line for each finding of {@link diagnose}, which says why
 * the request was refused. The findings are not sent, and never contain the secret.
 *
 * An explanation takes up to a second of processor time, in which other requests still run. One explanation runs at a time, all of them
 * together take at most 2 % of the time, and each webhook gets one per reason and hour.
 *
 * Not explained are replays, requests to an unknown webhook, bodies above 64 KB, and requests whose body was not read, because their headers
 * break a rule. In these cases, the usual line says what is wrong.
 *
 * @param secret - the webhook's signing secret, a list of secrets, or a function that returns the secret for the ID of the webhook.
 * @throws `TypeError` with `code` `ERR_INVALID_ARGUMENT` for an unknown option.
 *
 * @example
 * ```ts
 * import { createServer } from 'node:http'
 * import { MemoryNonceStore, receive, refuse } from 'inbound-webhook-auth'
 * import { explain } from 'inbound-webhook-tools'
 *
 * const secret = 'the signing secret of webhook 42'
 * const nonceStore = new MemoryNonceStore()
 * const server = createServer(async (request, response) => {
 *   try {
 *     const { body } = await receive({ webhookId: '42', request }, secret, nonceStore)
 *     response.end(`received ${body.length} bytes`)
 *   } catch (error) {
 *     refuse(response, error, { log: explain(secret) })
 *   }
 * })
 * ```
 */
export function explain(
  secret: StandardSecret | FindSecret,
  options: ExplainOptions = {},
): (entry: RefusalLog) => Promise<void> {
  assertOptions(options, ['log', 'clock'])
  const { clock = Date } = options
  const log: (entry: RefusalLog) => unknown = options.log ?? (({ level, message }) => console[level](message))
  return async (entry) => {
    await log(entry)
    if (codeOf(entry.error) !== 'ERR_WEBHOOK_REJECTED') return
    const { received, webhookId, reason } = entry.error as WebhookRejectedError
    if (received === undefined || ['replayed_nonce', 'unknown_webhook'].includes(reason)) return
    const [start, now, key] = [performance.now(), clock.now(), `${reason} ${webhookId}`]
    if (!begin(key, start)) return
    try {
      // The response is sent first.
      await nextTurn()
      const secrets =
        typeof secret === 'function' ? webhookId && (await within(MAX_SEARCH, secret(webhookId), noSecret)) : secret
      const name = webhookId ?? '(unknown)'
      for (const line of secrets ? await linesAbout({ webhookId: name, ...received }, secrets, now) : []) {
        await log({ ...entry, message: `Webhook ${oneLine(name)}: ${reason}: ${oneLine(line, MAX_LINE)}` })
      }
    } catch (error) {
      explained.times.delete(key)
      throw error
    } finally {
      const end = performance.now()
      explained.restsUntil = end + REST * Math.max(1, end - start)
      explained.isRunning = false
    }
  }
}

const noSecret = () => new Error(`No secret within ${MAX_SEARCH} ms. Check the function that you passed to explain.`)

/** Begins an explanation, and returns `true`, if the limits allow it. The key is the reason and the webhook. */
function begin(key: string, now: number): boolean {
  const { isRunning, restsUntil, times } = explained
  for (const [old, time] of times) {
    if (now - time < HOUR) break
    times.delete(old)
  }
  if (isRunning || now < restsUntil || times.has(key)) return false
  times.set(key, now)
  explained.isRunning = true
  return true
}

async function linesAbout(
  request: WebhookRequest & { body: Uint8Array },
  secret: StandardSecret,
  now: number,
): Promise<string[]> {
  const { length } = request.body
  if (length > MAX_BODY_BYTES) return [`Not explained, because the body has ${length} bytes. Pass it to diagnose.`]
  const { findings, language } = await diagnose(request, secret, { now: () => now })
  return findings.map((finding) =>
    findingsText([finding], PLAIN, undefined, language)
      .replace(/^1\. /, '')
      .trim()
      .replace(/(:?)\s*\n\s*/g, (_, colon) => (colon ? ': ' : ' | ')),
  )
}
