import { h } from './dom.js'

// Several parts of the page use these elements.

/** The address of the guides, with a slash at the end. Empty if the page has no guides to link to. */
export const GUIDES = document.documentElement.dataset['guides'] ?? ''

/** The address of the guide to the findings. `listen` writes this address into the page, even if the guides have no site. */
export const FINDINGS =
  document.documentElement.dataset['findings'] ?? (GUIDES === '' ? '' : `${GUIDES}debug/findings.html`)

/** Returns a link to a guide, which opens a new tab, because the present tab has the secret and the request. */
export const guideLink = (href: string, ...children: (Node | string)[]) =>
  h('a', { href, target: '_blank', rel: 'noopener noreferrer' }, ...children)

export const card = (title: string, ...children: (Node | string)[]) =>
  h('section', { class: 'card' }, h('h2', {}, title), ...children)
