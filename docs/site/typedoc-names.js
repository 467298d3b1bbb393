import { readFileSync } from 'node:fs'
import { Converter } from 'typedoc'

/**
 * Names each module of the reference as it is imported: `inbound-webhook-auth/redis`.
 *
 * @param {import('typedoc').Application} app
 */
export function load(app) {
  const { name } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const module of project.children ?? []) {
      const word = module.name.replace(/^stores\//, '').replace(/\/?index$/, '')
      module.name = word === '' ? name : `${name}/${word}`
    }
  })
}
