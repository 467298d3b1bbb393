import { cp, readFile, rm, writeFile } from 'node:fs/promises'
import { defineConfig } from 'tsup'
import { COMMON, declarationsOf, entriesIn } from '../tsup.config.js'
import { licenceNotices } from './src/licence-notices.js'
import { buildWorkbench } from './src/workbench/build.js'

/** Writes the workbench, and copies what npm packs only from this folder. */
async function completePackage(): Promise<void> {
  const { homepage }: { homepage?: string } = JSON.parse(await readFile('package.json', 'utf8'))
  await writeFile('dist/workbench.html', await buildWorkbench(homepage?.replace(/\/?$/, '/')))
  await rm('docs', { recursive: true, force: true })
  for (const path of ['LICENSE', 'docs/debug']) await cp(`../${path}`, path, { recursive: true })
}

export default defineConfig(() => ({
  ...COMMON,
  clean: true,
  entry: { ...entriesIn('tools/src'), cli: 'src/cli/main.ts' },
  // The command line needs one format only, and its size counts more than a second one.
  format: 'esm',
  dts: declarationsOf('tools/src'),
  esbuildPlugins: [licenceNotices],
  onSuccess: completePackage,
}))
