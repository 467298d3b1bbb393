/** A promise and the functions that settle it. */
export function deferred<T>() {
  let resolve: (value: T) => void = () => {}
  let reject: (error: unknown) => void = () => {}
  const promise = new Promise<T>((...settle) => {
    ;[resolve, reject] = settle
  })
  return { promise, resolve, reject }
}

/** A step that one piece of code takes, and another waits for. */
export function newStep(): { take(): void; taken: Promise<void> } {
  const { promise, resolve } = deferred<void>()
  return { take: resolve, taken: promise }
}
