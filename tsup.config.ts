import { defineConfig, type Options } from 'tsup'

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
  {
    ...common,
    entry: {
      index: 'src/index.ts',
      redis: 'src/stores/redis.ts',
      postgres: 'src/stores/postgres.ts',
      sqlite: 'src/stores/sqlite.ts',
      testing: 'src/testing/index.ts',
      diagnose: 'src/diagnose/index.ts',
    },
    format: ['esm', 'cjs'],
    dts: true,
    // Both builds run at once: this one leaves alone what the other writes.
    clean: ['!cli.js'],
    // Entries share chunks, so that within one module format a class is one class, whichever entry it came through.
    splitting: true,
  },
  {
    ...common,
    // Nobody imports the command line, so it needs no types and no CommonJS.
    entry: { cli: 'src/cli/main.ts' },
    format: 'esm',
    splitting: false,
    esbuildPlugins: [loadEntries],
  },
])
