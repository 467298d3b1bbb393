import { join } from 'node:path'
import { build } from 'esbuild'
import { ROOT } from '../../../test/support/built.js'

// A global setup of vitest: bundles the command line, and the entries that guides import, from the source. So a test that runs them
// as programs never runs an old build.

/** It is in the repository, because the command line finds its package above its own file. */
export const BUNDLES = join(ROOT, 'tools/test/cli/build')

/** The command line. */
export const PROGRAM = join(BUNDLES, 'cli.js')

export async function setup(): Promise<void> {
  await build({
    absWorkingDir: ROOT,
    entryPoints: { cli: 'tools/src/cli/main.ts', library: 'src/index.ts', tools: 'tools/src/index.ts' },
    outdir: BUNDLES,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
  })
}
