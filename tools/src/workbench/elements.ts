import { h } from './dom.js'

/** The address of the guides, with a slash at the end. Empty if the page was built without the guides. */
const GUIDES = document.documentElement.dataset['guides'] ?? ''

/** The address of the guide to the findings. `listen` always writes this address into the page. */
export const FINDINGS =
  document.documentElement.dataset['findings'] ?? (GUIDES === '' ? '' : `${GUIDES}debug/findings.html`)

/** Returns a link that opens a guide in a new tab, because this tab contains the secret and the request. */
export const guideLink = (href: string, ...children: (Node | string)[]) =>
  h('a', { href, target: '_blank', rel: 'noopener noreferrer' }, ...children)

export const card = (title: string, ...children: (Node | string)[]) =>
  h('section', { class: 'card' }, h('h2', {}, title), ...children)
