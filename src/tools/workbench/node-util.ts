// Stands for `node:util` in the page: the rule for headers asks these two.
export const types = {
  isMap: (value: unknown): boolean => value instanceof Map,
  isPromise: (value: unknown): boolean => value instanceof Promise,
}
