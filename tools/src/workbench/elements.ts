import { h } from './dom.js'

// Elements that several parts of the page use.

/** The address of the guides, with a slash at the end. Empty if the page has no guides to link to. */
export const GUIDES = document.documentElement.dataset['guides'] ?? ''

/** Returns a link to a guide, which opens a new tab, because the present tab has the secret and the request. */
export const guideLink = (page: string, ...children: (Node | string)[]) =>
  h('a', { href: `${GUIDES}${page}`, target: '_blank', rel: 'noopener noreferrer' }, ...children)

export const card = (title: string, ...children: (Node | string)[]) =>
  h('section', { class: 'card' }, h('h2', {}, title), ...children)
