import { type CheckInput, type CheckReport, check } from './check.js'

/** What the Worker answers. */
export type Answer = { readonly report: CheckReport } | { readonly error: string }

addEventListener('message', ({ data }: MessageEvent<CheckInput>) => {
  let answer: Answer
  try {
    answer = { report: check(data) }
  } catch (error) {
    answer = { error: error instanceof Error ? error.message : String(error) }
  }
  postMessage(answer)
})
