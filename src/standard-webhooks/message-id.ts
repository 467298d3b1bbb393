// The diagnosis uses this rule in a browser too. This file imports nothing, because a browser has no modules of Node.

/** The maximum length of `webhook-id`. The specification of Standard Webhooks sets no limit. */
export const MAX_ID_LENGTH = 256

/**
 * Returns whether a value can be a `webhook-id`: 1 to 256 visible ASCII characters, but no full stop. With a full stop in the ID, a message
 * could be split in two ways: `a.1.2.x` could have the ID `a` or `a.1`.
 */
export function isMessageId(value: string): boolean {
  return value.length <= MAX_ID_LENGTH && /^[!-\-/-~]+$/.test(value)
}
