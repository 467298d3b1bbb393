import type { Context, Hypothesis, Likelihood, Variants } from './hypothesis.js'

// Mistakes in the layout of the message, which is `timestamp:nonce:body`.

/** The parts of a message. `<timestamp>`, `<nonce>` and `<body>` stand for those of the request. */
export type Layout = readonly string[]

const partsOf = (template: string): Layout => template.split(/(<\w+>)/).filter((part) => part !== '')

export const CORRECT_LAYOUT = partsOf('<timestamp>:<nonce>:<body>')

/** A mistake in the layout. The examples are of timestamp `17`, nonce `ab`, body `B` and webhook `42`, sent to `/in`. */
function layout(likelihood: Likelihood, template: string, example: string): Hypothesis<Layout, Layout> {
  const parts = partsOf(template)
  const what = template === '' ? 'an empty message' : `the message \`${layoutText(parts)}\``
  return {
    id: `layout_${template}`,
    likelihood,
    code: 'message_layout',
    fix: template === '' ? 'feed_message' : 'sign_message',
    what: template === '' || parts.includes('<body>') ? what : `${what} (without the body)`,
    apply: (_, context) => withTarget(parts, context),
    example: ['', example],
  }
}

/* biome-ignore-start lint/suspicious/noTemplateCurlyInString: what senders sign by mistake. */
export const LAYOUT_HYPOTHESES: readonly Hypothesis<Layout, Layout>[] = [
  layout('common', '<timestamp>.<nonce>.<body>', '17.ab.B'),
  layout('common', '<timestamp>.<body>', '17.B'),
  layout('common', '<timestamp>:<body>', '17:B'),
  layout('common', '<body>', 'B'),

  layout('uncommon', '', ''),
  layout('uncommon', '<nonce>:<timestamp>:<body>', 'ab:17:B'),
  layout('uncommon', '<nonce>.<timestamp>.<body>', 'ab.17.B'),
  layout('uncommon', '<nonce><timestamp><body>', 'ab17B'),
  layout('uncommon', '<nonce>:<body>', 'ab:B'),
  layout('uncommon', '<timestamp><nonce><body>', '17abB'),
  layout('uncommon', '<timestamp><body>', '17B'),
  layout('uncommon', '<timestamp>\n<nonce>\n<body>', '17\nab\nB'),
  layout('uncommon', '<timestamp>\n<nonce>\n<body>\n', '17\nab\nB\n'),
  layout('uncommon', '<timestamp>\n<body>', '17\nB'),
  layout('uncommon', '<timestamp>|<nonce>|<body>', '17|ab|B'),
  layout('uncommon', '<timestamp>,<nonce>,<body>', '17,ab,B'),
  layout('uncommon', '<timestamp> <nonce> <body>', '17 ab B'),
  layout('uncommon', '<timestamp>-<nonce>-<body>', '17-ab-B'),
  layout('uncommon', '<timestamp>:<nonce>', '17:ab'),
  layout('uncommon', '<timestamp>:<nonce>:\n<body>', '17:ab:\nB'),
  layout('uncommon', '<timestamp>:<nonce><body>', '17:abB'),
  layout('uncommon', '<timestamp>:<body>:<nonce>', '17:B:ab'),
  layout('uncommon', '<body>:<timestamp>:<nonce>', 'B:17:ab'),
  layout('uncommon', '<body>:<timestamp>', 'B:17'),
  layout('uncommon', '<body><timestamp><nonce>', 'B17ab'),
  layout('uncommon', 'v0:<timestamp>:<body>', 'v0:17:B'),
  layout('uncommon', '{timestamp}:{nonce}:<body>', '{timestamp}:{nonce}:B'),
  layout('uncommon', '${timestamp}:${nonce}:<body>', '${timestamp}:${nonce}:B'),
  layout('uncommon', '$timestamp:$nonce:<body>', '$timestamp:$nonce:B'),

  layout('rare', '<timestamp>', '17'),
  layout('rare', '<nonce>', 'ab'),
  layout('rare', '<timestamp>:<nonce>.<body>', '17:ab.B'),
  layout('rare', '<timestamp>\\n<nonce>\\n<body>', '17\\nab\\nB'),
  layout('rare', '-n <timestamp>:<nonce>:<body>', '-n 17:ab:B'),
  layout('rare', '<method>:<timestamp>:<nonce>:<body>', 'POST:17:ab:B'),
  layout('rare', '<method>\n<path>\n<timestamp>\n<nonce>\n<body>', 'POST\n/in\n17\nab\nB'),
  layout('rare', '<method>\n<url>\n<timestamp>\n<nonce>\n<body>', 'POST\nhttps://example.com/in\n17\nab\nB'),
  layout('rare', '<path>:<timestamp>:<nonce>:<body>', '/in:17:ab:B'),
  layout('rare', 'X-Timestamp:<timestamp>\nX-Nonce:<nonce>\n<body>', 'X-Timestamp:17\nX-Nonce:ab\nB'),
  layout('rare', 'timestamp=<timestamp>&nonce=<nonce>&body=<body>', 'timestamp=17&nonce=ab&body=B'),
  layout('rare', '{"timestamp":<timestamp>,"nonce":"<nonce>","body":<body>}', '{"timestamp":17,"nonce":"ab","body":B}'),
]
/* biome-ignore-end lint/suspicious/noTemplateCurlyInString: what senders sign by mistake. */

/** A layout for a reader: `timestamp.nonce.body`, with control characters escaped. */
export function layoutText(layout: Layout): string {
  const text = layout.map((part) => part.replace(/^<(\w+)>$/, '$1')).join('')
  return JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"')
}

/** The paths to which requests are usually sent, where the headers do not say it. */
const USUAL_PATHS = ['/', '/webhook', '/webhooks', '/hooks']

/** The layout with the method, path, URL and webhook of the request: once for each path where it may have been sent. */
function withTarget(layout: Layout, { webhookId, headers }: Context): Layout | Variants<Layout> {
  if (!layout.some((part) => /^<(method|path|url|webhookId)>$/.test(part))) return layout
  const values = (...names: string[]) =>
    headers.filter(([name, value]) => names.includes(name) && value.length <= 2048).map(([, value]) => value)
  const [method = 'POST'] = values(':method', 'x-http-method-override', 'x-forwarded-method')
  const [host = 'localhost'] = values('x-forwarded-host', ':authority', 'host')
  const told = values(':path', 'x-forwarded-uri', 'x-original-uri', 'x-original-url', 'x-envoy-original-path')
  const paths = told.length === 0 ? USUAL_PATHS : [...told, ...told.map((path) => path.replace(/\?.*/, ''))]
  const variants = [...new Set(paths)].map((path) => {
    const target = new Map([
      ['<method>', method],
      ['<path>', path],
      ['<url>', `https://${host}${path}`],
      ['<webhookId>', webhookId],
    ])
    return { detail: '', value: layout.map((part) => target.get(part) ?? part) }
  })
  return { variants }
}
