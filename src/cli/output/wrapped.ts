/** How long a line of text is, in characters: what a reader takes in, and most terminals show. */
const WIDTH = 100

/**
 * Text in lines that are not too long, broken at spaces; its own line ends stay.
 *
 * @param indent - what the lines begin with.
 * @param first - what the first line begins with instead.
 */
export function wrapped(text: string, indent = '', first = indent): string {
  const [start = '', ...others] = text.split('\n')
  return [broken(start, indent, first), ...others.map((line) => broken(line, indent, indent))].join('\n')
}

function broken(text: string, indent: string, first: string): string {
  const lines: string[] = []
  let line = first
  let isBegun = false
  for (const word of text.split(' ')) {
    if (isBegun && line.length + 1 + word.length > WIDTH) {
      lines.push(line)
      line = indent + word
    } else {
      line += isBegun ? ` ${word}` : word
    }
    isBegun = true
  }
  return [...lines, line].join('\n')
}
