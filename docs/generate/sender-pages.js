import { codeBlock, generatedFrom, splitAnnotated } from './annotated.js'

// The page of each language, from its function and its program in docs/senders.

/** The pages of docs/send by name: the function to copy, and the program. */
const FILES = {
  csharp: ['functions/Webhook.cs', 'Send.cs'],
  go: ['functions/webhook.go', 'send.go'],
  java: ['functions/Webhook.java', 'Send.java'],
  node: ['functions/webhook.mjs', 'send.mjs'],
  php: ['functions/webhook.php', 'send.php'],
  python: ['functions/webhook.py', 'send.py'],
  ruby: ['functions/webhook.rb', 'send.rb'],
  shell: ['once.sh', 'send.sh'],
}

const RULES = `Call it once per attempt, because each attempt needs a new timestamp and a new nonce. [Send a signed request](index.md) has the
rules, and says which answers to try again. If the answer is 401, [find out why](../debug/index.md).`

const PROGRAM = `## A complete program

It signs each attempt again, and waits between attempts. It stops unless the answer is 429, 5xx or missing.`

/**
 * @param {(path: string) => string} read
 * @returns {[path: string, text: string][]}
 */
export function senderPages(read) {
  return Object.entries(FILES).map(([name, files]) => {
    const [copied = '', program = ''] = files.map((file) => `docs/senders/${file}`)
    const { title, before, after } = splitAnnotated(read(copied))
    const parts = [before, codeBlock(copied, read(copied)), after, RULES, PROGRAM, codeBlock(program, read(program))]
    const shown = parts.filter((part) => part !== '')
    return [`docs/send/${name}.md`, `${[generatedFrom([copied, program]), `# ${title}`, ...shown].join('\n\n')}\n`]
  })
}
