import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { expect, it } from 'vitest'
import { pathsBelow } from '../support/files.js'
import { ROOT } from '../support/packed.js'

/** The name of an option, a parameter or a constant, and its comment or the expression of its value. */
type Named = readonly [name: string, text: string]

function readSource(file: string) {
  const comments: Named[] = []
  const defaults: Named[] = []
  const constants: Named[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isPropertySignature(node) && node.questionToken) {
      comments.push(...ts.getJSDocCommentsAndTags(node).map((one): Named => [node.name.getText(), one.getText()]))
    }
    for (const tag of ts.isFunctionLike(node) ? ts.getJSDocTags(node).filter(ts.isJSDocParameterTag) : []) {
      // The comment on `options` names each of its properties.
      const properties = tag.getText().split(/`(?=\w+`: )/)
      comments.push(...properties.map((text): Named => [/^\w+(?=`)/.exec(text)?.[0] ?? tag.name.getText(), text]))
    }
    if ((ts.isBindingElement(node) || ts.isParameter(node)) && node.initializer) {
      const { propertyName = node.name } = ts.isBindingElement(node) ? node : {}
      defaults.push([propertyName.getText(), node.initializer.getText()])
    }
    if (ts.isVariableDeclaration(node) && node.initializer) {
      constants.push([node.name.getText(), node.initializer.getText()])
    }
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(file, readFileSync(join(ROOT, file), 'utf8'), ts.ScriptTarget.Latest, true))
  return { file, comments, defaults, constants }
}

const LITERAL = /'([\w-]+)'`?, the default|(?:by default,?|default is) (?:`([^`]+)`(?! and)|(\d[\d ]*))/i

/** Returns the default in a comment, an empty text if it is no literal, or `undefined` if there is none. */
function documentedDefault(comment: string): string | undefined {
  const text = comment.replace(/\n *\*? */g, ' ')
  return /default/i.test(text) ? (LITERAL.exec(text)?.slice(1).join('').replaceAll(' ', '') ?? '') : undefined
}

/** The names in the library whose comment describes the default, because it is no literal. */
const DESCRIBED = [
  ...['hints/raw-body.ts: fix', 'hints/raw-body.ts: what', 'refuse.ts: log'],
  ...['sign.ts: nonce', 'sign.ts: timestamp', 'standard-webhooks/sign.ts: messageId'],
]

it.each(['src', 'tools/src'])('each default in a comment of %s is the default of the code', (folder) => {
  const files = pathsBelow(join(ROOT, folder)).filter((path) => path.endsWith('.ts'))
  const sources = files.map((file) => readSource(`${folder}/${file}`))
  const constants = new Map(sources.flatMap((source) => source.constants))
  /** Returns the defaults in the code of a name: in the file of the comment, or else in all files. */
  const codedDefaults = (file: string, name: string) => {
    const inFiles = (some: typeof sources) => some.flatMap(({ defaults }) => defaults.filter(([one]) => one === name))
    const own = inFiles(sources.filter((source) => source.file === file))
    const values = (own.length > 0 ? own : inFiles(sources)).map(([, value]) => constants.get(value) ?? value)
    return new Set(values.map((value) => value.replace(/(?<=\d)_|'/g, '')))
  }
  const described: string[] = []
  for (const { file, comments } of sources) {
    for (const [name, comment] of comments) {
      const where = `${file.slice(folder.length + 1)}: ${name}`
      const documented = documentedDefault(comment)
      if (documented === '') described.push(where)
      else if (documented !== undefined) expect([where, ...codedDefaults(file, name)]).toEqual([where, documented])
    }
  }
  if (folder === 'src') expect(described.sort()).toEqual(DESCRIBED)
})
