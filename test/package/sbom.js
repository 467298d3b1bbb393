// Prints the list of what the package contains (SBOM): the package, and the packages that are bundled in its files.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { bundledIn } from '../../tools/src/licence-notices.js'
import { NPM, ROOT } from '../support/packed.js'

/** The files of `dist` that contain packages. */
const BUNDLES = ['cli.js', 'workbench.html']

/** @param {string[]} options */
function sbomOf(...options) {
  const [npm, ...args] = [...NPM, 'sbom', '--sbom-format', 'cyclonedx', '--package-lock-only', ...options]
  const json = execFileSync(npm, args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  return JSON.parse(json)
}

/**
 * Returns the SBOM of the package whose files are in `dist`, as CycloneDX.
 *
 * @param {string} dist
 */
export function sbomOfPackage(dist) {
  const sbom = sbomOf('--omit', 'dev')
  const installed = sbomOf().components
  for (const bundled of BUNDLES.map((file) => bundledIn(readFileSync(join(dist, file), 'utf8')))) {
    for (const component of installed) {
      if (!bundled.has(`${component.name}@${component.version}`)) continue
      // npm does not know that the package contains its development dependency.
      sbom.components.push({ ...component, scope: 'required', properties: [] })
      sbom.dependencies[0].dependsOn.push(component['bom-ref'])
      sbom.dependencies.push({ ref: component['bom-ref'], dependsOn: [] })
    }
  }
  return sbom
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  console.log(JSON.stringify(sbomOfPackage(join(ROOT, 'dist')), undefined, 2))
}
