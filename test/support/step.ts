/** A step that one piece of code takes, and another waits for. */
export function newStep(): { take(): void; taken: Promise<void> } {
  let take = () => {}
  const taken = new Promise<void>((resolve) => {
    take = resolve
  })
  return { take, taken }
}
