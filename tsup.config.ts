import { defineConfig, type Options } from 'tsup'
import { SOURCES } from './test/support/entries.js'
import { licenceNotices } from './test/support/licence-notices.js'

/** The command line loads the entries next to it, so that the package has one copy of the library. */
const loadEntries: NonNullable<Options['esbuildPlugins']>[number] = {
  name: 'load-entries',
  setup(build) {
    build.onResolve({ filter: /\/diagnose\/index\.js$/ }, () => ({ path: './diagnose.js', external: true }))
    build.onResolve({ filter: /^\.\.\/\.\.\/index\.js$/ }, () => ({ path: './index.js', external: true }))
  },
}

const common: Options = {
  platform: 'node',
  target: 'node20',
  // Deno and workerd know Node's modules by their `node:` names only.
  removeNodeProtocol: false,
}

export default defineConfig([
  // One build per entry: builds of several entries put the declarations that they share into files of their own.
  ...Object.entries(SOURCES).map(
    ([name, source]): Options => ({
      ...common,
      entry: { [name]: source },
      format: ['esm', 'cjs'],
      dts: true,
      splitting: false,
    }),
  ),
  {
    ...common,
    // Nobody imports the command line, so it needs no types and no CommonJS.
    entry: { cli: 'src/cli/main.ts' },
    format: 'esm',
    splitting: false,
    esbuildPlugins: [loadEntries, licenceNotices],
  },
])
