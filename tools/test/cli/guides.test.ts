import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { pathsBelow } from '../../../test/support/files.js'
import { call } from './call.js'
import { captures } from './captures.js'

// What the guides name. nightly/guides.test.ts compares what they show with what the commands print.

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

describe('docs/debug/command-line.md', () => {
  const guide = read('docs/debug/command-line.md')

  it('names every command, and every option', async () => {
    const { text } = await call(['--help'])
    const commands = [...text.matchAll(/^ {2}(\w+) /gm)].map(([, name = '']) => name)
    expect(commands).toHaveLength(7)
    for (const name of commands) {
      expect(guide).toContain(`\`${name}\``)
      const help = await call([name, '--help'])
      for (const [option] of help.text.matchAll(/^ {2}(?=--)\S+/gm)) expect(guide).toContain(option.trim())
    }
  })
})

it('no guide names an option that the command lacks', async () => {
  const optionsOf = async (command: string): Promise<readonly string[]> =>
    (await call([command, '--help'])).text.match(/(?<=^ {2})--[\w-]+/gm) ?? []
  const names = ['secret', 'sign', 'send', 'check', 'diagnose', 'listen', 'workbench']
  const commands = new Map(await Promise.all(names.map(async (name) => [name, await optionsOf(name)] as const)))
  const all = [...commands.values()].flat()
  // These are options of Node and curl, and the one that the guide shows as a mistake.
  const others = ['--data-binary', '--max-http-header-size', '--max-old-space-size', '--secret']
  const unknownIn = (text: string | undefined, known: readonly string[] = all) =>
    (text?.match(/(?<=[ `])--[a-z][\w-]*/g) ?? []).filter((option) => ![...known, ...others].includes(option))

  const guides = pathsBelow(join(ROOT, 'docs')).filter((path) => path.endsWith('.md') && !path.startsWith('site/'))
  const unknown = ['README.md', ...guides.map((path) => `docs/${path}`)].flatMap((path) => {
    const text = read(path).replaceAll(/ \\\n */g, ' ')
    const calls = [...text.matchAll(/inbound-webhook-tools (\w+)([^\n`|]*)/g)]
    const named = text.match(/`--[a-z][\w-]*/g) ?? []
    return [
      ...calls.flatMap(([, name = '', given]) => unknownIn(given, commands.get(name))),
      ...named.flatMap((option) => unknownIn(option)),
    ].map((option) => `${path}: ${option}`)
  })
  expect(unknown).toEqual([])
})

describe('docs/debug/index.md', () => {
  const guide = read('docs/debug/index.md')

  it.each(Object.entries(captures()))(
    'uses docs/debug/captured/%s, which captures.ts creates',
    async (file, capture) => {
      await expect(capture).toMatchFileSnapshot(join(ROOT, 'docs/debug/captured', file))
      expect(guide).toContain(`diagnose ${file} `)
    },
  )

  it('uses no other captured request', () => {
    expect(readdirSync(join(ROOT, 'docs/debug/captured')).sort()).toEqual(Object.keys(captures()).sort())
  })

  it('names every reason', () => {
    const reasons = [...read('src/result.ts').matchAll(/^ {2}\| '(\w+)'$/gm)].map(([, reason]) => reason)
    expect(reasons).toHaveLength(7)
    for (const reason of reasons) expect(guide).toContain(`\n| \`${reason}\` | `)
  })
})
