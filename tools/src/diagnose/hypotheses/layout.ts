import type { FixId } from '../fixes.js'
import type { Mask } from '../mask-secrets.js'
import type { Hypothesis, Likelihood } from './hypothesis.js'
import { inForm, VARIABLE_FORMS } from './placeholders.js'

// This file lists the mistakes in the layout of the message. The right layout is `timestamp:nonce:body`.

/** The parts of a message, such as `<timestamp>`, `:` and `<nonce>`. Parts in angle brackets are replaced by the values of the request. */
export type Layout = readonly string[]

const partsOf = (template: string): Layout => template.split(/(<\w+>|<"body">)/).filter((part) => part !== '')

function layout(likelihood: Likelihood, template: string): Hypothesis<Layout, Layout> {
  const parts = partsOf(template)
  const fix = template === '' ? 'feed_message' : 'sign_message'
  const text = `the message \`${layoutText(parts)}\`${parts.includes('<body>') ? '' : ' (without the body)'}`
  const what = template === '' ? 'an empty message' : text
  return { likelihood, code: 'message_layout', fix, what, apply: () => parts }
}

/* biome-ignore-start lint/suspicious/noTemplateCurlyInString: what senders sign by mistake. */
const NAMES_OF_VARIABLES = ['body', 'payload', 'rawBody', 'data'].flatMap((body) => [
  ['timestamp', 'nonce', body],
  ['ts', 'nonce', body],
  ['TIMESTAMP', 'NONCE', body.toUpperCase()],
])

/** Text such as `$timestamp:$nonce:$body`, in which the variables were not replaced by their values. */
const VARIABLE_MESSAGES = VARIABLE_FORMS.flatMap((form) => {
  const join = (names: readonly string[]) => names.map((name) => inForm(form, name)).join(':')
  const heads = [
    ['timestamp', 'nonce'],
    ['TIMESTAMP', 'NONCE'],
    ['$timestamp', '$guid'],
  ].map(join)
  return [...NAMES_OF_VARIABLES.map(join), ...heads.map((head) => `${head}:<body>`)]
})

const PARTS: { readonly [letter: string]: string } = { t: '<timestamp>', n: '<nonce>', b: '<body>' }
const ORDERED_MESSAGES = ['tbn', 'btn', 'bnt', 'nbt', 'ntb', 'tnb', 'tb', 'bt', 'nb', 'bn'].flatMap((order) =>
  [':', '.', '', '\n', '|', ',', '-', '_', ';', '&', ' '].map((separator) =>
    [...order].map((letter) => PARTS[letter]).join(separator),
  ),
)

/** JSON of the three values, compact and with spaces. The body is JSON in it, or a string. */
const JSON_MESSAGES = ['<timestamp>', '"<timestamp>"'].flatMap((timestamp) =>
  ['<body>', '<"body">'].flatMap((body) =>
    [
      `[${timestamp}, "<nonce>", ${body}]`,
      ...['body', 'payload', 'data'].map(
        (name) => `{"timestamp": ${timestamp}, "nonce": "<nonce>", "${name}": ${body}}`,
      ),
      `{"body": ${body}, "nonce": "<nonce>", "timestamp": ${timestamp}}`,
    ].flatMap((json) => [json, json.replace(/(?<=[,:]) /g, '')]),
  ),
)
const SECRET_MESSAGES = [':', '', '.', '\n', '|', ',', '&key=', '&secret='].flatMap((separator) => [
  ...[`<timestamp>:<nonce>:<body>${separator}<secret>`, `<secret>${separator}<timestamp>:<nonce>:<body>`],
  ['<timestamp>', '<nonce>', '<body>', '<secret>'].join(separator),
  ['<secret>', '<timestamp>', '<nonce>', '<body>'].join(separator),
])
/** The values with their names, as Python prints a tuple or a list, or with other separators. */
const PRINTED_MESSAGES = [
  'X-Timestamp: <timestamp>\nX-Nonce: <nonce>\n<body>',
  'X-Timestamp:<timestamp>\nX-Nonce:<nonce>\n<body>',
  'x-timestamp:<timestamp>\nx-nonce:<nonce>\n<body>',
  'timestamp=<timestamp>&nonce=<nonce>&body=<body>',
  "('<timestamp>', '<nonce>', '<body>')",
  "('<timestamp>', '<nonce>', b'<body>')",
  '[<timestamp>, <nonce>, <body>]',
  "(<timestamp>, '<nonce>', '<body>')",
  "[<timestamp>, '<nonce>', '<body>']",
  "['<timestamp>', '<nonce>', '<body>']",
  ...[' : ', '::', '||', ', ', '\n\n', '\r\n', '/', '+', '#', '~', '\t', '\0', '=', '\\n'].map((separator) =>
    ['<timestamp>', '<nonce>', '<body>'].join(separator),
  ),
]

/** Returns the hypothesis that the sender signed the values in one of these formats. */
const otherFormat = (
  likelihood: Likelihood,
  what: string,
  templates: readonly string[],
  fix: FixId = 'sign_message',
): Hypothesis<Layout, Layout> => ({
  ...{ likelihood, code: 'message_layout', fix, what },
  apply: () => ({ variants: templates.map(partsOf).map((value) => ({ detail: layoutText(value), value })) }),
})

/** Returns a hypothesis for each of the layouts, which are separated by ` ¦ `. */
const layouts = (likelihood: Likelihood, ...lists: readonly string[]) =>
  lists.flatMap((list) => list.split(' ¦ ')).map((template) => layout(likelihood, template))

export const LAYOUT_HYPOTHESES: readonly Hypothesis<Layout, Layout>[] = [
  ...layouts('common', '<timestamp>.<nonce>.<body> ¦ <timestamp>.<body> ¦ <timestamp>:<body> ¦ <body>'),
  layout('uncommon', ''),
  ...layouts(
    'uncommon',
    '<nonce>:<timestamp>:<body> ¦ <timestamp><nonce><body> ¦ <timestamp>\n<nonce>\n<body>',
    '<timestamp>\n<nonce>\n<body>\n ¦ <timestamp>:<nonce> ¦ <timestamp>:<nonce>:\n<body>',
    '<timestamp>:<nonce><body> ¦ v0:<timestamp>:<body> ¦ {timestamp}:{nonce}:<body> ¦ <timestamp>:<nonce>:$body',
  ),
  otherFormat(
    'many',
    'the text `<detail>` itself, with the names of the variables',
    VARIABLE_MESSAGES,
    'fill_in_variables',
  ),
  otherFormat('many', 'the message `<detail>`', ORDERED_MESSAGES),
  otherFormat('last', 'the JSON `<detail>`', JSON_MESSAGES),
  otherFormat('last', 'the message `<detail>`, of which the secret is a part', SECRET_MESSAGES),
  otherFormat('last', 'the message `<detail>`', PRINTED_MESSAGES),
  ...layouts(
    'rare',
    '<timestamp>:<nonce>.<body> ¦ -n <timestamp>:<nonce>:<body> ¦ <timestamp>: <nonce>: <body>',
    '<timestamp>:<nonce>:<body>: ¦ <timestamp>:<nonce>:<body><body>',
    '<timestamp>:<nonce>:<body><timestamp>:<nonce>:<body>',
  ),
]
/* biome-ignore-end lint/suspicious/noTemplateCurlyInString: what senders sign by mistake. */

/** Returns a layout as text for a message, such as `timestamp\nnonce\nbody`. A part can be a value of the request, such as its path. */
export function layoutText(layout: Layout, mask: Mask = String): string {
  const text = layout.map((part) => /^<(\w+|"body")>$/.exec(part)?.[1] ?? mask(part)).join('')
  return JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"')
}
