import type { MarkdownRenderer } from 'vitepress'

/** Longer code may break, because a phone shows about 45 characters. */
const MAX_UNBROKEN = 24

/** A wider table is shown as one block per row on a phone. That many characters fit into 358 px. */
const MAX_PHONE_CHARACTERS = 46

/** A column of text needs no more than this. Its words continue on the next line. */
const MAX_COLUMN_CHARACTERS = 21

/** In a table with more columns, a long name breaks between its words. */
const MAX_UNBROKEN_COLUMNS = 3

/** A table with more columns has small text, so that a tablet shows all of them. */
const MAX_NORMAL_COLUMNS = 7

type Token = ReturnType<MarkdownRenderer['parse']>[number]

export function adjustMarkdown(markdown: MarkdownRenderer): void {
  const { renderer, utils } = markdown
  // A header such as X-Timestamp would break at its hyphen.
  const writeCode = renderer.rules.code_inline
  renderer.rules.code_inline = (tokens, index, ...rest) => {
    const token = tokens[index]
    if (token?.meta?.isNarrow && /^[\w./-]+$/.test(token.content)) {
      // A narrow column shows MemoryNonceStore in three lines, and a path in one per folder.
      return `<code>${token.content.replace(/(?<=[a-z])(?=[A-Z])|(?<=[/_])/g, '<wbr>')}</code>`
    }
    if (token !== undefined && token.content.length <= MAX_UNBROKEN) token.attrJoin('class', 'unbroken')
    return writeCode?.(tokens, index, ...rest) ?? ''
  }
  // The keyboard can scroll a wide block that is focusable.
  renderer.rules.code_block = (tokens, index) =>
    `<pre tabindex="0"><code>${utils.escapeHtml(tokens[index]?.content ?? '')}</code></pre>\n`
  // A screen reader would announce an empty header cell.
  for (const [rule, step] of [
    ['th_open', 1],
    ['th_close', -1],
  ] as const) {
    renderer.rules[rule] = (tokens, index, options, _, self) => {
      const token = tokens[index]
      if (token !== undefined && tokens[index + step]?.content === '') token.tag = 'td'
      return self.renderToken(tokens, index, options)
    }
  }
  // The rule of VitePress for tables drops the class.
  renderer.rules.table_open = (tokens, index, options, _, self) => {
    tokens[index]?.attrSet('tabindex', '0')
    return self.renderToken(tokens, index, options)
  }
  markdown.core.ruler.push('stack-tables', ({ tokens }) => stackTables(tokens))
}

/** Prepares the tables for narrow columns. One that is too wide for a phone is marked, and each of its cells gets the name of its column. */
function stackTables(tokens: readonly Token[]): void {
  for (const [start, table] of tokens.entries()) {
    if (table.type !== 'table_open') continue
    const end = tokens.findIndex(({ type }, index) => index > start && type === 'table_close')
    const columns = tokens.slice(start, end).filter(({ type }) => type === 'th_open').length
    const cells = tokens.slice(start, end).flatMap((cell, index) => {
      if (!/^t[hd]_open$/.test(cell.type)) return []
      const children = tokens[start + index + 1]?.children ?? []
      for (const child of children) child.meta = { isNarrow: columns > MAX_UNBROKEN_COLUMNS }
      // What is shown, without the marks of code, links and emphasis.
      return [{ cell, text: children.map(({ content }) => content).join('') }]
    })
    const names = cells.filter(({ cell }) => cell.type === 'th_open').map(({ text }) => text)
    const widths = names.map((_, column) => {
      const texts = cells.filter((_, index) => index % columns === column).map(({ text }) => text)
      const longest = (parts: readonly string[], limit: number) =>
        Math.min(limit, Math.max(...parts.map(({ length }) => length)))
      const words = texts.flatMap((text) => text.split(' '))
      return Math.max(longest(texts, MAX_COLUMN_CHARACTERS), longest(words, MAX_UNBROKEN))
    })
    if (widths.reduce((sum, width) => sum + width + 2, 0) <= MAX_PHONE_CHARACTERS) continue
    table.attrJoin('class', columns > MAX_NORMAL_COLUMNS ? 'stacked wide' : 'stacked')
    for (const [index, { cell }] of cells.entries()) {
      // A name such as MemoryNonceStore may continue on a second line, after one of its words.
      const name = names[index % columns]?.replaceAll(/[a-z](?=[A-Z])/g, '$&\u200b')
      if (cell.type === 'td_open' && name) cell.attrSet('data-column', name)
    }
  }
}
