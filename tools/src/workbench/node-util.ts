// In the page, this file replaces `node:util`, because the rule for headers needs these two functions.
export const types = {
  isMap: (value: unknown): boolean => value instanceof Map,
  isPromise: (value: unknown): boolean => value instanceof Promise,
}
