import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Checks that every internal link of the built site leads to a page, and its anchor to an element of that page.
 *
 * @param {string} folder - the built site.
 */
export function checkSite(folder) {
  const base = process.env['SITE_BASE'] ?? '/'
  const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.html'))
  const ids = new Map(
    pages.map((page) => {
      const html = readFileSync(join(folder, page), 'utf8')
      return [page, new Set([...html.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => decodeEntities(String(id))))]
    }),
  )
  const problems = pages.flatMap((page) => {
    const html = readFileSync(join(folder, page), 'utf8')
    const links = [...html.matchAll(/<a\s[^>]*?href="([^"]+)"/g)].map(([, link]) => decodeEntities(String(link)))
    return links.flatMap((link) => {
      const url = new URL(link, `http://site${base}${page}`)
      if (url.host !== 'site') return []
      const path = decodeURIComponent(url.pathname).slice(base.length)
      const file = `${path}${path === '' || path.endsWith('/') ? 'index.html' : ''}`
      const target = statSync(join(folder, file), { throwIfNoEntry: false })?.isFile() ? file : undefined
      if (target === undefined) return [`${page}: ${link} leads to no page`]
      const anchor = decodeURIComponent(url.hash.slice(1))
      return anchor === '' || ids.get(target)?.has(anchor) ? [] : [`${page}: ${link} leads to no heading`]
    })
  })
  if (problems.length > 0) throw new Error(`Dead links:\n${[...new Set(problems)].join('\n')}`)
  console.log(`${pages.length} pages, and no dead link.`)
}

/** @param {string} text */
function decodeEntities(text) {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
}
