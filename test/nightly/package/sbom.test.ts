import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { sbomOfPackage } from '../../package/sbom.js'
import { sharedInstall } from '../../support/packed.js'

/** `fflate@0.8.3` is `fflate`. */
const nameOf = (reference: string) => reference.replace(/@[^@]*$/, '')

const installed = join(sharedInstall(), 'node_modules/inbound-webhook-auth')
const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))

it('the installed package has a list of its parts (SBOM) with the packages that it bundles, and no other', () => {
  const { metadata, components, dependencies } = sbomOfPackage(join(installed, 'dist'))
  expect(metadata.component.purl).toBe(`pkg:npm/${manifest.name}@${manifest.version}`)
  const names = ['fastest-levenshtein', '@noble/hashes', 'fflate']
  expect(components.map(({ name }: { name: string }) => name)).toEqual(names)
  for (const component of components) {
    expect(component).toMatchObject({ scope: 'required', licenses: [{ license: { id: 'MIT' } }] })
    expect(component.hashes).toHaveLength(1)
  }
  expect(dependencies[0].dependsOn.map(nameOf)).toEqual(names)
})
