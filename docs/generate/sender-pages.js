import { codeBlock, generatedFrom, splitAnnotated } from './annotated.js'

// The page of each language, from its program in docs/senders. The program for Node is on the page about sending.

/** The pages of docs/send by name, and their programs. */
const PROGRAMS = {
  csharp: 'Send.cs',
  go: 'send.go',
  java: 'Send.java',
  php: 'send.php',
  python: 'send.py',
  ruby: 'send.rb',
  shell: 'send.sh',
}

const RULES = `After 429, 5xx or no response, the program signs and sends again. To send from your own code, copy the function that signs and call it once per
attempt.

[Send a signed request](index.md) lists the rules for senders. If you get 401, [find out why](../debug/index.md) with \`npx -y inbound-webhook-tools listen\`.`

/**
 * @param {(path: string) => string} read
 * @returns {[path: string, text: string][]}
 */
export function senderPages(read) {
  return Object.entries(PROGRAMS).map(([name, file]) => {
    const path = `docs/senders/${file}`
    const { title, before, after } = splitAnnotated(read(path))
    const parts = [generatedFrom([path]), `# ${title}`, before, codeBlock(path, read(path)), after, RULES]
    return [`docs/send/${name}.md`, `${parts.join('\n\n')}\n`]
  })
}
