/** Whether this run is one of `npm run test:nightly`. `npm test` runs a part of the cases of long tests. */
export const IS_WHOLE = process.env['WHOLE'] !== undefined

/** Returns all cases in `npm run test:nightly`. In `npm test`, returns every third one, and the last, which is the newest. */
export function everyThird<Case>(cases: readonly Case[]): readonly Case[] {
  return IS_WHOLE ? cases : cases.filter((_, index) => (cases.length - 1 - index) % 3 === 0)
}
