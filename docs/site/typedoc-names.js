import { Converter, IntrinsicType, PageEvent, ReflectionKind } from 'typedoc'
import { ORDER } from './api-summary.js'

/**
 * Names each module of the reference as it is imported, such as `inbound-webhook-auth/redis`, sorts its functions and classes by
 * what they are for, and lists what each function throws.
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
  const finish = ({ project }) => {
    const rank = ({ name = '' }) => ORDER.indexOf(name)
    for (const group of project.children?.flatMap(({ groups }) => groups ?? []) ?? []) {
      if (/^(Functions|Classes)$/.test(group.title)) group.children.sort((one, other) => rank(one) - rank(other))
    }
    for (const reflection of Object.values(project.reflections)) {
      mergeThrows(reflection.comment)
      shortenUnion(reflection)
      const isFunction =
        reflection.kindOf(ReflectionKind.CallSignature) && reflection.parent?.kindOf(ReflectionKind.Function)
      if ('sources' in reflection && !isFunction && !reflection.kindOf(ReflectionKind.Class)) delete reflection.sources
    }
  }
  app.converter.on(Converter.EVENT_RESOLVE_END, finish, -1000)
  // What a function does is more important than where it is.
  app.renderer.on(PageEvent.END, (page) => {
    const [line = '', link] = /^Defined in: (.*)\n\n/m.exec(page.contents ?? '') ?? []
    if (link !== undefined) page.contents = `${page.contents?.replace(line, '').trimEnd()}\n\nSource: ${link}\n`
  })
}

/** The largest number of texts in a union that a table shows. */
const MAX_UNION = 20

/**
 * Shows a property with a long union of texts as `string`, because a cell of a table would have one line per text.
 *
 * @param {import('typedoc').Reflection & { type?: import('typedoc').SomeType | undefined }} reflection
 */
function shortenUnion(reflection) {
  const { type } = reflection
  if (!reflection.kindOf(ReflectionKind.Property) || type?.type !== 'union') return
  if (type.types.length > MAX_UNION) reflection.type = new IntrinsicType('string')
}

/**
 * Writes all errors as one list, because typedoc has a heading per error.
 *
 * @param {import('typedoc').Comment | undefined} comment
 */
function mergeThrows(comment) {
  const [first, ...others] = comment?.getTags('@throws') ?? []
  if (comment === undefined || first === undefined || others.length === 0) return
  first.content = [first, ...others].flatMap(({ content }) => [{ kind: 'text', text: '\n- ' }, ...content])
  comment.blockTags = comment.blockTags.filter((tag) => !others.includes(tag))
}
