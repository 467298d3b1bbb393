import { Buffer } from 'node:buffer'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** A plugin of esbuild that writes the licences of all bundled packages into each output file. @type {import('esbuild').Plugin} */
export const licenceNotices = {
  name: 'licence-notices',
  setup(build) {
    build.initialOptions.metafile = true
    build.onEnd(({ metafile, outputFiles = [] }) => {
      for (const [path, { inputs }] of Object.entries(metafile?.outputs ?? {})) {
        const folders = new Set(
          Object.keys(inputs)
            .map(packageOf)
            .filter((folder) => folder !== undefined),
        )
        const notices = [...folders].sort().map((folder) => noticeOf(resolve(folder)))
        const file = outputFiles.find((output) => resolve(output.path) === resolve(path))
        if (file !== undefined) file.contents = Buffer.concat([file.contents, Buffer.from(notices.join(''))])
      }
    })
  },
}

/** @param {string} path */
function packageOf(path) {
  return /^.*\bnode_modules[\\/](@[^\\/]+[\\/])?[^\\/]+/.exec(path)?.[0]
}

/** @param {string} folder */
function noticeOf(folder) {
  const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
  if (file === undefined) throw new Error(`${name} has no licence. Bundle another package.`)
  return `/*! ${name}@${version}\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n*/\n`
}

/** Returns the packages in a bundle, as `name@version`. @param {string} bundle */
export function bundledIn(bundle) {
  const notices = bundle.matchAll(/\/\*! ((?:@[\w.-]+\/)?[\w.-]+@\d[\w.+-]*)(?:\n|\\n)/g)
  return new Set(Array.from(notices, ([, name]) => String(name)))
}
