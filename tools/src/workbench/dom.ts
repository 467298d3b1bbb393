type Child = Node | string | undefined

/** Returns a new element. Texts in `children` are shown as text, and never read as HTML. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: { readonly [name: string]: string | boolean } = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== false) element.setAttribute(name, value === true ? '' : value)
  }
  element.append(...children.filter((child) => child !== undefined))
  return element
}

/** Returns the parts of a text in which backticks mark code. */
export const inline = (text: string) =>
  text.split(/`([^`]+)`/).map((part, index) => (index % 2 === 1 ? h('code', {}, part) : part))

export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const element = document.getElementById(id)
  if (element === null) throw new Error(`The page has no #${id}.`)
  return element as T
}

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
