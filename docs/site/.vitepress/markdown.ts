import type { MarkdownRenderer } from 'vitepress'

/** A longer word of code may break, because a phone shows about 40 characters. */
const MAX_UNBROKEN = 20

/** On a phone, a table whose rows are longer is shown as one block per row. */
const MAX_ROW = 70

export function adjustMarkdown(markdown: MarkdownRenderer): void {
  const { rules } = markdown.renderer
  // Code such as `--secret-file` would break at its hyphens.
  const writeCode = rules.code_inline
  rules.code_inline = (...args) =>
    (writeCode?.(...args) ?? '').replace(/(?<=>)[^<]+(?=<)/, (code) =>
      code.replace(/\S+/g, (word) => (word.length <= MAX_UNBROKEN ? `<span>${word}</span>` : word)),
    )
  // An indented block looks like any other code.
  rules.code_block = (...args) => rules.fence?.(...args) ?? ''
  // The rule of VitePress drops the class. The keyboard can scroll a table that is focusable.
  rules.table_open = (tokens, index, options, _, self) => {
    tokens[index]?.attrSet('tabindex', '0')
    return self.renderToken(tokens, index, options)
  }
  markdown.core.ruler.push('label-cells', ({ tokens }) => labelCells(tokens))
}

/** Gives each cell the name of its column, for phones. An empty cell has no name. */
function labelCells(tokens: ReturnType<MarkdownRenderer['parse']>): void {
  let names: string[] = []
  let row: string[] = []
  let table: (typeof tokens)[number] | undefined
  for (const [index, token] of tokens.entries()) {
    const text = tokens[index + 1]?.children?.map(({ content }) => content).join('') ?? ''
    if (token.type === 'table_open') {
      table = token
      names = []
    }
    if (token.type === 'tr_open') row = []
    if (token.type === 'th_open') names.push(text)
    // A screen reader would announce an empty header cell.
    if (/^th_(open|close)$/.test(token.type) && names.at(-1) === '') token.tag = 'td'
    if (token.type === 'td_open') {
      const name = names[row.push(text) - 1]
      if (text !== '' && name && row.length > 1) token.attrSet('data-column', name)
      if (row.length > 2 && row.join('').length > MAX_ROW) table?.attrSet('class', 'stacked')
    }
  }
}
