import { outcomeOf } from './suite.js'

// workerd: `workerd test` calls the handler of that name.

async function load(name: string): Promise<[string, object]> {
  return [name, await import(name)]
}

// biome-ignore lint/style/noDefaultExport: workerd finds its handlers there.
export default {
  async test(_controller: unknown, { NAMES }: { NAMES: readonly string[] }): Promise<void> {
    console.log(JSON.stringify(await outcomeOf(new Map(await Promise.all(NAMES.map(load))))))
  },
}
