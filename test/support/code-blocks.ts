import { transformSync } from 'esbuild'

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

/** The handler of the README, as JavaScript, for a version of Node that does not run TypeScript. */
export function handlerIn(readme: string): string {
  const [handler = ''] = codeBlocks(readme, 'ts').filter((block) => block.includes('createServer('))
  return transformSync(handler, { loader: 'ts' }).code
}
