import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { licenceNotices } from '../licence-notices.js'

// This file builds the workbench as one HTML file, which needs no server and no network.

const HERE = new URL('./', import.meta.url)
/** @param {string} name */
const read = (name) => readFileSync(new URL(name, HERE), 'utf8')

/**
 * @param {string} entry
 * @param {string} [workerSource]
 */
async function bundle(entry, workerSource) {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(entry, HERE))],
    outfile: entry.replace('.ts', '.js'),
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    target: 'es2022',
    // For a browser, esbuild refuses every module of Node. Only `node:util` is replaced by node-util.ts.
    platform: 'browser',
    charset: 'utf8',
    alias: { 'node:util': fileURLToPath(new URL('node-util.ts', HERE)) },
    plugins: [
      licenceNotices,
      {
        name: 'worker-source',
        setup(context) {
          context.onResolve({ filter: /^worker-source$/ }, ({ path }) => ({ path, namespace: 'worker-source' }))
          context.onLoad({ filter: /.*/, namespace: 'worker-source' }, () => ({
            contents: `export const WORKER_SOURCE = ${JSON.stringify(workerSource)}`,
          }))
        },
      },
    ],
  })
  return outputFiles[0]?.text ?? ''
}

/**
 * Returns the page as HTML.
 *
 * @param {string} [guides] - the address of the guides, with a slash at the end. Without this address, the page has no links to guides.
 * @param {readonly { text: string, link: string }[]} pages - the pages of the guides that the header links to.
 * @returns {Promise<string>}
 */
export async function buildWorkbench(guides, pages = []) {
  const script = await bundle('page.ts', await bundle('worker.ts'))
  if (/<\/script|<!--/i.test(script)) throw new Error('The script would end in the middle of the page.')
  const style = read('style.css').trim()
  // A new tab, because this tab contains the secret and the request.
  const links = [{ text: 'inbound-webhook-auth', link: '' }, ...pages].map(
    ({ text, link }) => `<a href="${guides}${link}" target="_blank" rel="noopener noreferrer">${text}</a>`,
  )
  const header = guides === undefined ? '' : `<nav class="site only-alone">${links.join('')}</nav>\n`
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', HERE), 'utf8'))
  /** @param {string} text */
  const hash = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
  const policy = [
    "default-src 'none'",
    "connect-src 'none'",
    `script-src ${hash(script)}`,
    `style-src ${hash(style)}`,
    'worker-src blob:',
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types workbench',
  ].join('; ')
  /** @type {Record<string, string>} */
  const parts = { CSP: policy, STYLE: style, VERSION: version, SCRIPT: script, GUIDES: guides ?? '', NAV: header }
  return read('page.html').replace(/\{\{([A-Z]+)\}\}/g, (_, name) => parts[name] ?? '')
}
