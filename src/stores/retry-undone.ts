const MAX_ATTEMPTS = 20
const MAX_PAUSE_MILLISECONDS = 32

/** Runs statements again, after a pause, if the server undid them because of concurrent statements. Starts none after `milliseconds`. */
export async function retryUndone<T>(
  run: () => Promise<T>,
  isUndone: (error: unknown) => boolean,
  milliseconds: number,
): Promise<T> {
  const end = performance.now() + milliseconds
  for (let attempt = 1; ; attempt++) {
    try {
      return await run()
    } catch (error) {
      // A part of each pause is random, because two statements with equal pauses would conflict again.
      const pause = Math.min(2 ** attempt, MAX_PAUSE_MILLISECONDS) * (0.5 + Math.random() / 2)
      if (attempt === MAX_ATTEMPTS || !isUndone(error) || performance.now() + pause > end) throw error
      await new Promise((resolve) => setTimeout(resolve, pause))
    }
  }
}
