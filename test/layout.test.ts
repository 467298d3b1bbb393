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

/** Every import of the source: the file, and the path below `src/` or the module that it names. */
const IMPORTS = pathsBelow(join(ROOT, 'src'))
  .filter((file) => /\.(ts|js)$/.test(file))
  .flatMap((file) =>
    importsOf(join(ROOT, 'src', file)).map(
      (name) => [file, name.startsWith('.') ? join(dirname(file), name) : name] as const,
    ),
  )

it('what decides who gets in imports nothing from the tools', () => {
  const others = IMPORTS.filter(([file]) => !file.startsWith('tools/'))
  expect(others.length).toBeGreaterThan(150)
  expect(others.filter(([, name]) => name.startsWith('tools/'))).toEqual([])
})

it('the diagnosis imports no module of a platform, so that it also runs in a browser', () => {
  const platform = (name: string) => name.startsWith('node:') || builtinModules.includes(name)
  expect(IMPORTS.filter(([, name]) => platform(name)).length).toBeGreaterThan(30)
  const diagnosis = IMPORTS.filter(([file]) => file.startsWith('tools/diagnose/'))
  expect(diagnosis.length).toBeGreaterThan(80)
  expect(diagnosis.filter(([, name]) => platform(name))).toEqual([])
})

it('docs/ imports one file of the source: the build of the workbench', () => {
  const files = pathsBelow(join(ROOT, 'docs')).filter((file) => /\.(ts|js|mjs)$/.test(file))
  const imports = files.flatMap((file) => importsOf(join(ROOT, 'docs', file)).filter((name) => name.includes('/src/')))
  expect(imports).toEqual(['../../src/tools/workbench/build.js'])
})
