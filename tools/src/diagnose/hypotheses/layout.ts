import type { Mask } from '../mask-secrets.js'
import type { Hypothesis, Likelihood, RequestContext, Variants } from './hypothesis.js'
import { inForm, VARIABLE_FORMS } from './placeholders.js'

// This file lists the mistakes in the layout of the message. The right layout is `timestamp:nonce:body`.

/** The parts of a message, such as `<timestamp>`, `:` and `<nonce>`. Parts in angle brackets are replaced by the values of the request. */
export type Layout = readonly string[]

const partsOf = (template: string): Layout => template.split(/(<\w+>)/).filter((part) => part !== '')

export const CORRECT_LAYOUT = partsOf('<timestamp>:<nonce>:<body>')

/** Returns the hypothesis that the sender used this layout. */
function layout(likelihood: Likelihood, template: string): Hypothesis<Layout, Layout> {
  const parts = partsOf(template)
  const text = `\`${layoutText(parts)}\``
  const isConstant = parts.length === 1 && template !== '<body>'
  return {
    likelihood,
    code: 'message_layout',
    fix: template === '' ? 'feed_message' : isConstant ? 'fill_in_variables' : 'sign_message',
    what:
      template === ''
        ? 'an empty message'
        : isConstant
          ? `the text ${text} itself, with the names of the variables`
          : parts.includes('<body>')
            ? `the message ${text}`
            : `the message ${text} (without the body)`,
    apply: (_, context) => fillTarget(parts, context),
  }
}

/* biome-ignore-start lint/suspicious/noTemplateCurlyInString: what senders sign by mistake. */
const NAMES_OF_VARIABLES = ['body', 'payload', 'rawBody', 'data'].flatMap((body) => [
  ['timestamp', 'nonce', body],
  ['ts', 'nonce', body],
  ['TIMESTAMP', 'NONCE', body.toUpperCase()],
])

/** The sender signed text such as `$timestamp:$nonce:$body`, because the variables were not replaced by their values. */
const namesOfVariables: Hypothesis<Layout, Layout> = {
  likelihood: 'last',
  code: 'message_layout',
  fix: 'fill_in_variables',
  what: 'the text `<detail>` itself, with the names of the variables',
  apply: () => ({
    variants: VARIABLE_FORMS.flatMap((form) => [
      ...NAMES_OF_VARIABLES.map((names) => names.map((name) => inForm(form, name)).join(':')),
      ...[
        ['timestamp', 'nonce'],
        ['TIMESTAMP', 'NONCE'],
        ['$timestamp', '$guid'],
      ].map((names) => `${names.map((name) => inForm(form, name)).join(':')}:<body>`),
    ]).map((template) => ({ detail: template.replace('<body>', 'body'), value: partsOf(template) })),
  }),
}

const ORDERS = ['tbn', 'btn', 'bnt', 'nbt', 'ntb', 'tnb', 'tb', 'bt', 'nb', 'bn']
const SEPARATORS = [':', '.', '', '\n', '|', ',', '-', '_', ';', '&', ' ']

/** The sender used another order or another separator. */
const otherOrder: Hypothesis<Layout, Layout> = {
  likelihood: 'last',
  code: 'message_layout',
  fix: 'sign_message',
  what: 'the message `<detail>`',
  apply: () => ({
    variants: ORDERS.flatMap((order) =>
      SEPARATORS.map((separator) => {
        const parts = [...order].map((part) => (part === 't' ? '<timestamp>' : part === 'n' ? '<nonce>' : '<body>'))
        const value = partsOf(parts.join(separator))
        return { detail: layoutText(value), value }
      }),
    ),
  }),
}

export const LAYOUT_HYPOTHESES: readonly Hypothesis<Layout, Layout>[] = [
  layout('common', '<timestamp>.<nonce>.<body>'),
  layout('common', '<timestamp>.<body>'),
  layout('common', '<timestamp>:<body>'),
  layout('common', '<body>'),

  layout('uncommon', ''),
  layout('uncommon', '<nonce>:<timestamp>:<body>'),
  layout('uncommon', '<timestamp><nonce><body>'),
  layout('uncommon', '<timestamp>\n<nonce>\n<body>'),
  layout('uncommon', '<timestamp>\n<nonce>\n<body>\n'),
  layout('uncommon', '<timestamp>:<nonce>'),
  layout('uncommon', '<timestamp>:<nonce>:\n<body>'),
  layout('uncommon', '<timestamp>:<nonce><body>'),
  layout('uncommon', 'v0:<timestamp>:<body>'),
  layout('uncommon', '<url><body>'),
  layout('uncommon', '<path><body>'),
  layout('uncommon', '<path>:<timestamp>:<nonce>:<body>'),
  layout('uncommon', '<timestamp><method><path><body>'),
  layout('uncommon', '<timestamp>:<nonce>:<path>:<body>'),
  layout('uncommon', '<timestamp>:<path>:<body>'),
  layout('rare', '<timestamp>:<url>:<body>'),
  layout('uncommon', '<timestamp>:<nonce>:<method>:<path>:<body>'),
  layout('uncommon', '{timestamp}:{nonce}:<body>'),
  layout('uncommon', '<timestamp>:<nonce>:$body'),
  namesOfVariables,

  otherOrder,

  layout('rare', '<timestamp>:<nonce>.<body>'),
  layout('rare', '<timestamp>\\n<nonce>\\n<body>'),
  layout('rare', '-n <timestamp>:<nonce>:<body>'),
  layout('rare', '<method>:<timestamp>:<nonce>:<body>'),
  layout('rare', '<method>\n<path>\n<timestamp>\n<nonce>\n<body>'),
  layout('rare', '<method>\n<url>\n<timestamp>\n<nonce>\n<body>'),
  layout('rare', '<method>:<path>:<timestamp>:<nonce>:<body>'),
  layout('rare', '<timestamp>: <nonce>: <body>'),
  layout('rare', '<timestamp>:<nonce>:<body>:'),
  layout('rare', '<timestamp>:<nonce>:<url>:<body>'),
  layout('rare', '<url>\n<body>'),
  layout('rare', '<path><timestamp><body>'),
  layout('rare', '<timestamp>:<nonce>:<body><timestamp>:<nonce>:<body>'),
  layout('rare', '<timestamp>:<nonce>:<body><body>'),
  layout('rare', 'X-Timestamp:<timestamp>\nX-Nonce:<nonce>\n<body>'),
  layout('rare', 'timestamp=<timestamp>&nonce=<nonce>&body=<body>'),
]
/* biome-ignore-end lint/suspicious/noTemplateCurlyInString: what senders sign by mistake. */

/** Returns a layout as text for a message, such as `timestamp\nnonce\nbody`. A part can be a value of the request, such as its path. */
export function layoutText(layout: Layout, mask: Mask = String): string {
  const text = layout.map((part) => /^<(\w+)>$/.exec(part)?.[1] ?? mask(part)).join('')
  return JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"')
}

/** The paths that are tried if the headers do not show the path. */
const USUAL_PATHS = ['/', '/webhook', '/webhooks', '/hooks']

/** Replaces `<method>`, `<path>` and `<url>` in a layout. Returns a layout for each path and URL that the sender may have used. */
function fillTarget(layout: Layout, { headers }: RequestContext): Layout | Variants<Layout> {
  if (!layout.some((part) => /^<(method|path|url)>$/.test(part))) return layout
  const headerValue = (...names: string[]) =>
    headers.find(([name, value]) => names.includes(name) && value.length <= 2048)?.[1]
  const path = headerValue(':path', 'x-forwarded-uri', 'x-original-uri', 'x-original-url', 'x-envoy-original-path')
  const paths = path === undefined ? USUAL_PATHS : [path, path.replace(/\?.*/, '')]
  const host = headerValue('x-forwarded-host', ':authority', 'host') ?? 'localhost'
  const method = headerValue(':method') ?? 'POST'
  const urls = layout.includes('<url>') ? [`https://${host}`, `http://${host}`] : ['']
  const fill = (path: string, url: string) => (part: string) =>
    part === '<method>' ? method : part === '<path>' ? path : part === '<url>' ? url + path : part
  const targets = [...new Set(paths)].flatMap((path) => urls.map((url) => fill(path, url)))
  return { variants: targets.map((target) => ({ detail: '', value: layout.map(target) })) }
}
