// Prints the list of what a package contains (SBOM): the package, and the packages that are bundled in its files.
// Run: node test/package/sbom.js inbound-webhook-tools
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { bundledIn } from '../../tools/src/licence-notices.js'
import { NPM, PACKAGES, ROOT } from '../support/packed.js'

/** @param {string[]} options */
function sbomOf(...options) {
  const [npm, ...args] = [...NPM, 'sbom', '--sbom-format', 'cyclonedx', '--package-lock-only', ...options]
  const json = execFileSync(npm, args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  return JSON.parse(json)
}

/**
 * Returns the SBOM of a package whose files are in `dist`, as CycloneDX.
 *
 * @param {string} name
 * @param {string} dist
 */
export function sbomOfPackage(name, dist) {
  const sbom = sbomOf('--omit', 'dev')
  const installed = sbomOf().components
  // npm lists the whole workspace. The packages have no dependencies.
  /** @type {{ name: string, version: string, 'bom-ref': string }[]} */
  const candidates = [sbom.metadata.component, ...sbom.components]
  const component = candidates.find((one) => one['bom-ref'].startsWith(`${name}@`))
  const bundled = readdirSync(dist).map((file) => bundledIn(readFileSync(join(dist, file), 'utf8')))
  const packages = packagesIn(installed, new Set(bundled.flatMap((names) => [...names])))
  const references = packages.map((one) => one['bom-ref'])
  return {
    ...sbom,
    metadata: { ...sbom.metadata, component: { ...component, name } },
    components: packages,
    dependencies: [
      { ref: component?.['bom-ref'], dependsOn: references },
      ...references.map((ref) => ({ ref, dependsOn: [] })),
    ],
  }
}

/**
 * Returns the installed packages that are bundled. npm does not know that a package contains its development dependency.
 *
 * @param {{ name: string, version: string, 'bom-ref': string }[]} installed
 * @param {Set<string>} bundled
 */
function packagesIn(installed, bundled) {
  return installed
    .filter(({ name, version }) => bundled.has(`${name}@${version}`))
    .map((component) => ({ ...component, scope: 'required', properties: [] }))
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [, , name = ''] = process.argv
  if (!PACKAGES.includes(name)) throw new Error(`Pass the name of a package: ${PACKAGES.join(' or ')}.`)
  const folder = name === 'inbound-webhook-tools' ? 'tools' : '.'
  console.log(JSON.stringify(sbomOfPackage(name, join(ROOT, folder, 'dist')), undefined, 2))
}
