import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

/**
 * What a program takes, bundled and minified by esbuild, in bytes: what is loaded at once, and, gzipped, what is loaded later.
 *
 * @param {string} source
 * @param {string} folder - where it imports from.
 */
export async function bundled(source, folder) {
  const { outputFiles } = await build({
    stdin: { contents: source, resolveDir: folder },
    outdir: folder,
    write: false,
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
