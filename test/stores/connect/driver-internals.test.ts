import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { lastErrorOfIoredis } from '../../../src/stores/connect/driver-internals.js'
import { ROOT } from '../../support/packed.js'

// What a driver lacks does no harm. Tests with real drivers and servers: test/integration/driver-internals.test.ts.

it('an error without another one changes nothing', () => {
  expect(lastErrorOfIoredis(new Error())).toBeUndefined()
})

it('the table names the version of each driver that is installed', () => {
  const source = readFileSync(join(ROOT, 'src/stores/connect/driver-internals.ts'), 'utf8')
  const rows = [...source.matchAll(/^\/\/ \| (\w+) +\| ([\d, ]+?) +\|/gm)].map(([, name, versions]) => [name, versions])
  expect(rows).toHaveLength(3)
  for (const [name = '', versions = ''] of rows) {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'node_modules', name, 'package.json'), 'utf8'))
    const [major] = version.split('.')
    expect(versions.split(', '), `${name} ${version} is installed. Run the tests, and name it in the table.`).toContain(
      major,
    )
  }
})
