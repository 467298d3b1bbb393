import { type CheckInput, check } from './check.js'
import type { CheckReport } from './report.js'

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
