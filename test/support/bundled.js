import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

/**
 * Returns the size of a program, bundled and minified by esbuild, in bytes. It counts what is loaded at once, and what is
 * loaded later, gzipped.
 *
 * @param {string} source
 * @param {string} folder - the folder from which it imports.
 */
export async function bundled(source, folder) {
  const { outputFiles } = await build({
    stdin: { contents: source, resolveDir: folder },
    outdir: folder,
    write: false,
    logLevel: 'error',
    bundle: true,
    minify: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
  })
  const [loaded, ...later] = outputFiles.map(({ contents }) => ({
    minified: contents.length,
    gzipped: gzipSync(contents, { level: 9 }).length,
  }))
  return {
    minified: loaded?.minified ?? 0,
    gzipped: loaded?.gzipped ?? 0,
    later: later.reduce((sum, { gzipped }) => sum + gzipped, 0),
  }
}
