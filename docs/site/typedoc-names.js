import { Converter } from 'typedoc'

/** The functions that a reader looks for come first. All others are sorted by their names. */
const FIRST = ['receive', 'verify', 'sign']

/**
 * Names each module of the reference as it is imported, such as `inbound-webhook-auth/redis`, and puts its main functions first.
 *
 * @param {import('typedoc').Application} app
 */
export function load(app) {
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const module of project.children ?? []) {
      const [folder, ...words] = module.name.split('/').filter((word) => !['src', 'stores', 'index'].includes(word))
      const name = folder === 'tools' ? 'inbound-webhook-tools' : 'inbound-webhook-auth'
      module.name = [name, ...(folder === 'tools' ? words : [folder, ...words])].filter(Boolean).join('/')
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
