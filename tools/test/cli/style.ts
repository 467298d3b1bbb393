/** Returns a style that marks its texts, for a terminal of this width: `<green>ok</>`. */
export function marked(width: number) {
  const style = (format: string | readonly string[], text: string) => `<${[format].flat()}>${text}</>`
  return Object.assign(style, { width })
}
