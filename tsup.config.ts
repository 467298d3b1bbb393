import { defineConfig } from 'tsup'

export default defineConfig({
  entry: {
    index: 'src/index.ts',
    redis: 'src/stores/redis.ts',
    postgres: 'src/stores/postgres.ts',
    sqlite: 'src/stores/sqlite.ts',
    testing: 'src/testing/index.ts',
    diagnose: 'src/diagnose/index.ts',
  },
  format: ['esm', 'cjs'],
  platform: 'node',
  target: 'node20',
  dts: true,
  clean: true,
  // Entries share chunks, so that within one module format a class is one class, whichever entry it came through.
  splitting: true,
  // Deno and workerd know Node's modules by their `node:` names only.
  removeNodeProtocol: false,
})
