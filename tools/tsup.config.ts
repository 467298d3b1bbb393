import { cp, readFile, rm, writeFile } from 'node:fs/promises'
import { build } from 'esbuild'
import { defineConfig } from 'tsup'
import { COMMON, declarationsOf, entriesIn } from '../tsup.config.js'
import { licenceNotices } from './src/licence-notices.js'
import { buildWorkbench } from './src/workbench/build.js'

/** Minifies the command line, writes the workbench, and copies what npm packs only from this folder. */
async function completePackage(): Promise<void> {
  await build({
    entryPoints: ['dist/cli.js'],
    outdir: 'dist',
    allowOverwrite: true,
    minify: true,
    legalComments: 'eof',
  })
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
      // Jest loads no ES module by `require`, and a handler may be CommonJS. The command line needs one format only.
      ...COMMON,
      splitting: false,
      entry: entries,
      format: 'cjs',
      dts: declarations,
      // The ES modules contain the same code in a readable form.
      minify: true,
      esbuildPlugins: [licenceNotices],
    },
  ]
})
