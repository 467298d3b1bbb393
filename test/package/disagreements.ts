/** What a source says that there is to import or to run: `.`, `./redis`, `inbound-webhook-auth`. */
export type Entries = ReadonlyMap<string, readonly string[]>

/**
 * What one source names and another does not, in words.
 *
 * @param entries - by source: `package.json exports`, `tsup builds`, …
 */
export function disagreements(entries: Entries): string[] {
  const all = [...new Set([...entries.values()].flat())].sort()
  return all.flatMap((name) => {
    const [naming, silent] = [true, false].map((named) =>
      [...entries].filter(([, names]) => names.includes(name) === named).map(([source]) => source),
    )
    return silent?.length === 0 ? [] : [`${name}: ${naming?.join(', ')}; but not: ${silent?.join(', ')}`]
  })
}
