/** A style that marks its texts: `<green>ok</>`. */
export const MARKED = Object.assign(
  (format: string | readonly string[], text: string) => `<${[format].flat()}>${text}</>`,
  { width: 80 },
)
