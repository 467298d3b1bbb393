import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { sbomOfPackage } from '../../package/sbom.js'
import { sharedInstall } from '../../support/packed.js'

it.each([
  ['inbound-webhook-auth', []],
  ['inbound-webhook-tools', ['@noble/ed25519', '@noble/hashes', 'fastest-levenshtein', 'fflate']],
])('the installed %s has a list of its parts (SBOM) with the packages that it bundles, and no other', (name, names) => {
  const installed = join(sharedInstall(), 'node_modules', name)
  const { version } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
  const { metadata, components, dependencies } = sbomOfPackage(name, join(installed, 'dist'))
  expect(metadata.component).toMatchObject({ name, purl: `pkg:npm/${name}@${version}` })
  expect(components.map((component: { name: string }) => component.name).sort()).toEqual(names)
  for (const component of components) {
    expect(component).toMatchObject({ scope: 'required', licenses: [{ license: { id: 'MIT' } }] })
    expect(component).toHaveProperty('hashes.length', 1)
  }
  expect(dependencies[0].dependsOn).toEqual(components.map((component: { 'bom-ref': string }) => component['bom-ref']))
})
