import { describeDrift } from '../../../src/result.js'
import { isInWindow, isTimestamp, WINDOW_SECONDS } from '../../../src/rules/timestamp.js'
import { describeTime } from '../capture/arrival.js'
import { h, s } from './dom.js'

const WIDTH = 640
const MIDDLE = WIDTH / 2
/** The window fills the middle half of the drawing. */
const HALF_WINDOW = WIDTH / 4

/** The last second of the year 9999: a calendar shows no later one. */
const MAX_SECONDS = 253_402_300_799

const describeTimestamp = (seconds: number) =>
  seconds > MAX_SECONDS ? 'after the year 9999' : describeTime(seconds * 1000)

/** Returns a drawing of how far `X-Timestamp` is from the arrival. */
export function timeline(timestamp: string, now: number | undefined): HTMLElement {
  if (now === undefined)
    return h('p', {}, 'The capture does not say when the request arrived, so no clocks are compared.')
  if (!isTimestamp(timestamp))
    return h('p', {}, 'X-Timestamp is not a number of seconds, so there is no clock difference.')
  const seconds = Number(timestamp)
  const difference = (seconds * 1000 - now) / 1000
  const isInside = isInWindow(seconds, now)
  const x = MIDDLE + Math.max(-1, Math.min(1, difference / (2 * WINDOW_SECONDS))) * (MIDDLE - 14)
  const text = `X-Timestamp compared with the arrival: ${describeDrift(seconds, now)}. It is ${isInside ? 'inside' : 'outside'} the window.`
  const label = (at: number, y: number, words: string) =>
    s('text', { x: String(at), y: String(y), 'text-anchor': 'middle' }, words)
  const drawing = s(
    'svg',
    { viewBox: `0 0 ${WIDTH} 92`, role: 'img', 'aria-label': text, class: 'timeline' },
    s('rect', {
      x: String(MIDDLE - HALF_WINDOW),
      y: '32',
      width: String(2 * HALF_WINDOW),
      height: '20',
      class: 'window',
      rx: '3',
    }),
    s('path', { d: `M8 42 H${WIDTH - 8}`, class: 'axis' }),
    s('path', { d: `M${MIDDLE} 28 V56`, class: 'axis' }),
    label(MIDDLE - HALF_WINDOW, 74, `−${WINDOW_SECONDS} s`),
    label(MIDDLE, 74, 'arrival'),
    label(MIDDLE + HALF_WINDOW, 74, `+${WINDOW_SECONDS} s`),
    s('circle', { cx: String(x), cy: '42', r: '8', class: isInside ? 'inside' : 'outside' }),
    label(Math.max(56, Math.min(WIDTH - 56, x)), 18, 'X-Timestamp'),
  )
  return h(
    'div',
    {},
    drawing as unknown as HTMLElement,
    h('p', {}, text),
    h('p', { class: 'muted' }, `Arrival: ${describeTime(now)}. X-Timestamp: ${describeTimestamp(seconds)}.`),
  )
}
