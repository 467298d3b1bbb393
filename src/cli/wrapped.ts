/** How long a line of text is, in characters: what a reader takes in, and most terminals show. */
const WIDTH = 100

/** Text in lines that are not too long, broken at spaces; each but the first begins with `indent`. */
export function wrapped(text: string, indent = ''): string {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > WIDTH) {
      lines.push(line)
      line = `${indent}${word}`
    } else {
      line = line === '' ? word : `${line} ${word}`
    }
  }
  return [...lines, line].join('\n')
}
