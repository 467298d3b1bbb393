import { expect } from 'vitest'

/** Expects that `createTable` and `check` reject with the same message. */
export async function expectFailure(
  nonceStore: { createTable(): Promise<void>; check(): Promise<void> },
  message: string,
): Promise<void> {
  for (const call of [() => nonceStore.createTable(), () => nonceStore.check()]) {
    await expect(call()).rejects.toMatchObject({
      code: 'ERR_NONCE_STORE',
      message: expect.stringContaining(message),
      cause: expect.any(Error),
    })
  }
}
