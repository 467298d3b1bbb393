import { readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { pathsBelow } from './support/files.js'
import { ROOT } from './support/packed.js'

const importsOf = (file: string) =>
  Array.from(
    readFileSync(file, 'utf8').matchAll(/^(?! *\*).*\b(?:from|import\(?) ?'([^']+)'/gm),
    ([, name = '']) => name,
  )

/** Returns whether a file of the site is not a source, but was built from sources. */
const isBuilt = (file: string) => /\/(\.pages|dist)\//.test(file)

/** Returns every import of the code below a folder: the file, and the path or the module that it names. */
function importsBelow(folder: string): (readonly [file: string, name: string])[] {
  return pathsBelow(join(ROOT, folder))
    .map((path) => `${folder}/${path}`)
    .filter((file) => /\.(ts|js)$/.test(file) && !file.includes('/node_modules/'))
    .flatMap((file) =>
      importsOf(join(ROOT, file)).map(
        (name) => [file, name.startsWith('.') ? join(dirname(file), name) : name] as const,
      ),
    )
}

it('the library imports nothing from the tools. Its tests import the contracts alone, but the tests of the packages import all', () => {
  const imports = [...importsBelow('src'), ...importsBelow('test')]
  expect(imports.length).toBeGreaterThan(500)
  const ofTools = imports.filter(([, name]) => name.startsWith('tools/') || name.startsWith('inbound-webhook-tools'))
  const isAllowed = ([file, name]: (typeof ofTools)[number]) =>
    file.startsWith('test/package/') || (file.startsWith('test/') && name === 'tools/src/testing/index.js')
  expect(ofTools.length).toBeGreaterThan(5)
  expect(ofTools.filter((one) => !isAllowed(one))).toEqual([])
})

it('the library imports nothing but its own files, and modules of Node by their node: names', () => {
  // The message of a hint names an entry of the package, after a slash or by its variable.
  expect(importsBelow('src').filter(([, name]) => !/^(node:|src\/|\/|\$\{)/.test(name))).toEqual([])
})

it('the diagnosis imports no module of a platform, so that it also runs in a browser', () => {
  const platform = (name: string) => name.startsWith('node:') || builtinModules.includes(name)
  expect(importsBelow('tools/src').filter(([, name]) => platform(name)).length).toBeGreaterThan(30)
  const diagnosis = importsBelow('tools/src/diagnose')
  expect(diagnosis.length).toBeGreaterThan(80)
  expect(diagnosis.filter(([, name]) => platform(name))).toEqual([])
})

it('docs/ imports one file of the source: the build of the workbench', () => {
  const files = pathsBelow(join(ROOT, 'docs')).filter((file) => /\.(ts|js|mjs)$/.test(file) && !isBuilt(file))
  const imports = files.flatMap((file) => importsOf(join(ROOT, 'docs', file)).filter((name) => name.includes('/src/')))
  expect(imports).toEqual(['../../tools/src/workbench/build.js'])
})

it('no build reads a file of the tests', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const files = ['src', 'tools/src', 'docs/site'].flatMap((folder) =>
    pathsBelow(join(ROOT, folder)).map((file) => join(folder, file)),
  )
  const code = ['tsup.config.ts', 'tools/tsup.config.ts', ...files].filter(
    (file) => /\.(ts|js|vue)$/.test(file) && !isBuilt(file),
  )
  expect(code.length).toBeGreaterThan(130)
  // A comment may name a test.
  const readsTests = /^(?!\s*(\/\/|\/?\*)).*\btest\//m
  expect(code.filter((file) => readsTests.test(readFileSync(join(ROOT, file), 'utf8')))).toEqual([])
  expect(['build', 'docs', 'prepack'].filter((name) => readsTests.test(scripts[name]))).toEqual([])
})

it('npm test runs every project but those that CI and the night run', () => {
  const projects = Array.from(
    readFileSync(join(ROOT, 'vitest.config.ts'), 'utf8').matchAll(/^ *name: '(\w+)'|[{] name: '(\w+)'/gm),
    ([, name, other]) => name ?? other,
  )
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const isRun = (name = '') => scripts.test.includes(` --project ${name}`)
  expect(projects.filter((name) => !isRun(name))).toEqual(['package', 'ci', 'nightly'])
  expect(projects.length).toBeGreaterThan(5)
})
