import { withBase } from 'vitepress'
import { h } from 'vue'

const PAGES = [
  ['/receive/', 'Receive webhooks'],
  ['/send/', 'Send webhooks'],
  ['/operate/', 'Choose and operate a store'],
  ['/debug/', 'I get a 401'],
  ['/reference/errors.html', 'Reasons and errors'],
  ['/api/', 'API'],
] as const

/** The navigation bar has the only search of the theme. */
const openSearch = () => document.querySelector<HTMLElement>('.VPNavBarSearch button')?.click()

/** What is shown at an address without a page. */
export const NotFound = () =>
  h('main', { class: 'vp-doc not-found' }, [
    h('h1', 'Page not found'),
    h('p', 'There is no page at this address. Search for what you need, or start with one of these pages.'),
    h('p', h('button', { type: 'button', class: 'button main', onClick: openSearch }, 'Search the guides')),
    h(
      'ul',
      PAGES.map(([link, text]) => h('li', h('a', { href: withBase(link) }, text))),
    ),
  ])
