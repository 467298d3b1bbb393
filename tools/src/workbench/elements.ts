import { h } from './dom.js'

// Elements that several parts of the page use.

/** The address of the guides, with a slash at the end. Empty if the page has no guides to link to. */
export const GUIDES = document.documentElement.dataset['guides'] ?? ''

/** Returns a link to a guide, which opens a new tab, because the present tab has the secret and the request. */
export const guideLink = (page: string, ...children: (Node | string)[]) =>
  h('a', { href: `${GUIDES}${page}`, target: '_blank', rel: 'noopener noreferrer' }, ...children)

export const card = (title: string, ...children: (Node | string)[]) =>
  h('section', { class: 'card' }, h('h2', {}, title), ...children)

/** Returns text with a button that copies it. */
export function copyable(text: string, label: string): HTMLElement {
  const code = h('pre', { class: 'wrap', tabindex: '0', role: 'region', 'aria-label': label }, text)
  const button = h('button', { type: 'button' }, 'Copy')
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(text)
      button.textContent = 'Copied'
    } catch {
      // Without permission, the text is selected for the user's own copy command.
      getSelection()?.selectAllChildren(code)
      button.textContent = 'Selected: press Ctrl+C'
    }
  })
  return h('div', {}, code, button)
}
