import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import {
  connectionOfMysql2,
  lastErrorOfIoredis,
  sessionOfPg,
  sessionOfPostgresJs,
} from '../../../src/stores/connect/driver-internals.js'
import { ROOT } from '../../support/packed.js'

// What a driver lacks does no harm. Tests with real drivers and servers: test/integration/driver-internals.test.ts.

it('a client without a session cancels nothing', () => {
  expect(sessionOfPg({ host: 'localhost', port: 5432 })).toBeUndefined()
  expect(sessionOfPg({ host: 'localhost', port: 5432, processID: 1 })).toBeUndefined()
  expect(sessionOfPostgresJs({ options: { host: [], port: [] } }, {})).toBeUndefined()
  expect(sessionOfPostgresJs({ options: { host: [], port: [] } }, { state: { pid: 1 } })).toBeUndefined()
  expect(sessionOfPostgresJs({}, { state: { pid: 1, secret: 2 } })).toBeUndefined()
})

it('a connection without another one inside stands for itself', () => {
  const connection = {}
  expect(connectionOfMysql2(connection)).toBe(connection)
})

it('an error without another one changes nothing', () => {
  expect(lastErrorOfIoredis(new Error())).toBeUndefined()
})

it('the table names the version of each driver that is installed', () => {
  const source = readFileSync(join(ROOT, 'src/stores/connect/driver-internals.ts'), 'utf8')
  const rows = [...source.matchAll(/^\/\/ \| (\w+) +\| ([\d, ]+?) +\|/gm)].map(([, name, versions]) => [name, versions])
  expect(rows).toHaveLength(6)
  for (const [name = '', versions = ''] of rows) {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'node_modules', name, 'package.json'), 'utf8'))
    const [major] = version.split('.')
    expect(versions.split(', '), `${name} ${version} is installed. Run the tests, and name it in the table.`).toContain(
      major,
    )
  }
})
