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

export default defineConfig(() => {
  const entries = entriesIn('tools/src')
  const declarations = declarationsOf('tools/src')
  return [
    {
      ...COMMON,
      entry: { ...entries, cli: 'src/cli/main.ts' },
      format: 'esm',
      dts: declarations,
      esbuildPlugins: [licenceNotices],
      onSuccess: completePackage,
    },
    {
      // Jest loads no ES module by `require`. The command line and the diagnosis need one format only.
      ...COMMON,
      splitting: false,
      entry: { testing: entries['testing'] ?? '' },
      format: 'cjs',
      dts: { ...declarations, entry: { testing: declarations.entry['testing'] ?? '' } },
    },
  ]
})
