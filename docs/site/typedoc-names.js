import { readFileSync } from 'node:fs'
import { Converter } from 'typedoc'

/** The functions that a reader looks for come first. All others are sorted by their names. */
const FIRST = ['receive', 'verify', 'sign']

/**
 * Names each module of the reference as it is imported, such as `inbound-webhook-auth/redis`, and puts its main functions first.
 *
 * @param {import('typedoc').Application} app
 */
export function load(app) {
  const { name } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const module of project.children ?? []) {
      const word = module.name.replace(/^(stores|tools)\//, '').replace(/\/?index$/, '')
      module.name = word === '' ? name : `${name}/${word}`
    }
  })
  // After the children have their groups, which happens with the same event.
  /** @param {import('typedoc').Context} context */
  const sortFunctions = ({ project }) => {
    for (const group of project.children?.flatMap(({ groups }) => groups ?? []) ?? []) {
      const first = FIRST.flatMap((name) => group.children.filter((child) => child.name === name))
      group.children = [...first, ...group.children.filter((child) => !first.includes(child))]
    }
  }
  app.converter.on(Converter.EVENT_RESOLVE_END, sortFunctions, -1000)
}
