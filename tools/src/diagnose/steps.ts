// Long work is a generator that yields after each step, so that other work of the process can run. Without steps, a large body would block
// the event loop for seconds.

/** Work in steps. Each step yields its cost, which is about 1 per byte. */
export type Steps<Result> = Generator<number, Result, void>

/** Returns whether a function returned work in steps, instead of the result. */
export const isSteps = <Result>(work: Result | Steps<Result>): work is Steps<Result> =>
  typeof work === 'object' && work !== null && 'next' in work

/** Does work that may be in steps, inside other steps. */
export function* inSteps<Result>(work: Result | Steps<Result>): Steps<Result> {
  return isSteps(work) ? yield* work : work
}

/** Runs all steps without a pause and returns the result. */
export function runSteps<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

/** The number of tokens, or of characters of a text, after which work yields. */
export const STEP = 2 ** 13

/** The cost of a token or of a match: it takes as long as ten characters. In a body of brackets, each character is a token. */
export const PER_TOKEN = 10

/** Returns the same text, after V8 has joined its pieces. One join of a million pieces at the end would take five times as long. */
export const flat = (text: string): string => (text.charCodeAt(0) >= 0 ? text : '')

/**
 * Does what `text.replace(pattern, replace)` does, in steps. The whole text would block the event loop for a second if each character matches.
 *
 * @param pattern - has the flag `g`, and never matches an empty text.
 * @param replace - the new text, or a function that returns it. If the function returns `undefined`, the text ends before the match.
 */
export function* replaceInSteps(
  text: string,
  pattern: RegExp,
  replace: string | ((match: RegExpExecArray) => string | undefined),
): Steps<string> {
  let [replaced, part, from, cost] = ['', '', 0, 0]
  for (;;) {
    // Other work may use the same pattern between two steps.
    pattern.lastIndex = from
    const match = pattern.exec(text)
    const instead = match && (typeof replace === 'string' ? replace : replace(match))
    part += text.slice(from, match?.index)
    if (match === null || typeof instead !== 'string') break
    part += instead
    cost += PER_TOKEN + match.index + match[0].length - from + instead.length
    from = match.index + match[0].length
    if (cost < PER_TOKEN * STEP) continue
    yield cost
    replaced += flat(part)
    part = ''
    cost = 0
  }
  yield cost + text.length - from
  return replaced + part
}

/** Returns a text with each part changed, in steps. A character of two UTF-16 units is in one part. */
export function* changeParts(text: string, change: (part: string) => string): Steps<string> {
  let changed = ''
  let end: number
  for (let start = 0; start < text.length; start = end) {
    end = start + STEP
    if (/[\ud800-\udbff]/.test(text.charAt(end - 1))) end++
    const part = change(text.slice(start, end))
    yield part.length
    changed += part
  }
  return changed
}
