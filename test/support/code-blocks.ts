/** The code blocks of one language in a Markdown text or in docstrings, without the ` * ` of a docstring. */
export function codeBlocks(text: string, language: string): string[] {
  return [...text.matchAll(new RegExp(`^([ *]*)\`\`\`${language}\\n([^]*?)\\n\\1\`\`\`$`, 'gm'))].map(
    ([, margin = '', code = '']) =>
      code
        .split('\n')
        .map((line) => line.slice(margin.length))
        .join('\n'),
  )
}
