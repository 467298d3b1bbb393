import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { SECTIONS } from '../../../docs/site/navigation.js'
import { ROOT } from '../../support/packed.js'
import { isInstalled } from '../../support/programs.js'
import {
  type Browser,
  CAN_RUN,
  findViolations,
  launch,
  measureFirstPaint,
  type Page,
  SCHEMES,
  WIDTHS,
} from '../packages/browser.js'

// The built documentation site in a real browser. The build itself fails for a dead link or anchor.

const SITE = join(ROOT, 'docs/site/.vitepress/dist')

/** The parts that all pages share. Axe needs seconds for them, so they are checked only on some pages. */
const PAGE_FRAME = ['.VPNav', '.VPLocalNav', '.VPSidebar']
const WHOLE = [
  ...['index.html', '404.html', 'receive/express.html', 'operate/failures.html'],
  ...['api/inbound-webhook-auth/functions/receive.html'],
]

const TYPES: { readonly [extension: string]: string } = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
}

const siteIsInstalled = isInstalled('the site', existsSync(join(ROOT, 'docs/site/node_modules')))

describe.runIf(CAN_RUN && siteIsInstalled)('the documentation site', () => {
  let browser: Browser
  let server: Server
  let address = ''
  let pages: string[] = []

  beforeAll(async () => {
    if (!process.env['SITE_IS_BUILT'] || !existsSync(SITE)) {
      execFileSync(process.execPath, ['docs/site/build.js'], { cwd: ROOT, stdio: 'pipe' })
    }
    pages = readdirSync(SITE, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.html') && file !== 'workbench.html')
      .sort()
    server = createServer((request, response) => {
      const path = join(SITE, decodeURIComponent(new URL(`http://site${request.url}`).pathname))
      const isFound = existsSync(path) && extname(path) !== ''
      const type = isFound ? (TYPES[extname(path)] ?? 'application/octet-stream') : 'text/html; charset=utf-8'
      response.writeHead(isFound ? 200 : 404, { 'Content-Type': type })
      return response.end(readFileSync(isFound ? path : join(SITE, '404.html')))
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    browser = await launch()
  })

  afterAll(async () => {
    await browser.close()
    server.close()
  })

  async function newPage(options: Parameters<Browser['newPage']>[0] = {}): Promise<Page> {
    const page = await browser.newPage(options)
    onTestFinished(() => page.close())
    return page
  }

  async function open(path: string, options: Parameters<Browser['newPage']>[0] = {}): Promise<Page> {
    const page = await newPage(options)
    await page.goto(`${address}${path}`, { waitUntil: 'networkidle' })
    return page
  }

  it.each(['index.html', 'operate/index.html', 'api/inbound-webhook-auth/index.html'])(
    'needs at most 150 KB gzipped for %s, nothing from other servers, and paints within two seconds',
    async (path) => {
      const page = await newPage()
      const requested: string[] = []
      let isLoaded = false
      page.once('load', () => {
        isLoaded = true
      })
      // The pages that this one links to are fetched later.
      page.on('request', (request) => isLoaded || requested.push(request.url()))
      await page.goto(`${address}${path}`)
      expect(requested.filter((url) => !url.startsWith(address) && !url.startsWith('data:'))).toEqual([])
      const files = requested
        .map((url) => join(SITE, decodeURIComponent(new URL(url).pathname)))
        .filter((name) => existsSync(name))
      expect(files.length).toBeGreaterThan(4)
      const bytes = files.reduce((sum, name) => sum + gzipSync(readFileSync(name)).length, 0)
      expect(bytes).toBeLessThan(150_000)
      expect(await measureFirstPaint(browser, `${address}${path}`)).toBeLessThan(2000)
    },
  )

  async function useColours(page: Page, colorScheme: (typeof SCHEMES)[number]) {
    await page.emulateMedia({ colorScheme })
    await page.waitForFunction(
      (isDark) => document.documentElement.classList.contains('dark') === isDark,
      colorScheme === 'dark',
    )
  }

  /** Returns what is wider than its place: the page, its drawings, and its tables, which may scroll only on a phone. */
  const findClipped = (page: Page) =>
    page.evaluate(() => {
      const parts = innerWidth < 640 ? 'figure' : 'figure, table'
      return [document.documentElement, ...document.querySelectorAll(`.vp-doc :is(${parts})`)]
        .filter((element) => element.scrollWidth > element.clientWidth + 1)
        .map(({ tagName, textContent }) => `${tagName} ${textContent?.trim().slice(0, 60)}`)
    })

  /** Enters a word in the search, and returns the address of the first result. */
  async function search(page: Page, word: string): Promise<string | null> {
    await page.fill('#localsearch-input', '')
    await page.waitForFunction(() => document.querySelectorAll('.results .result').length === 0)
    await page.fill('#localsearch-input', word)
    const first = page.locator('.results a.result').first()
    return first.getAttribute('href', { timeout: 5000 }).catch(() => null)
  }

  it('has a description and a card of its own for each page', async () => {
    const described = new Map<string, string[]>()
    const incomplete = pages.filter((path) => {
      if (path === '404.html') return false
      const html = readFileSync(join(SITE, path), 'utf8')
      const [, description = ''] = /<meta name="description" content="([^"]*)">/.exec(html) ?? []
      described.set(description, [...(described.get(description) ?? []), path])
      const isCard = ['og:title', 'og:description', 'twitter:card'].every((name) => html.includes(`"${name}"`))
      return description.length < 40 || description.length > 200 || !isCard
    })
    expect(incomplete).toEqual([])
    expect([...described.values()].filter((paths) => paths.length > 1)).toEqual([])
  })

  it('on a phone, never breaks an option, scrolls code, and names each cell by its column but no empty cell', async () => {
    const page = await newPage({ viewport: { width: 390, height: 844 } })
    const broken: string[] = []
    let labels = 0
    for (const path of pages) {
      await page.goto(`${address}${path}`)
      const texts = await page.$$eval('.vp-doc :not(pre) > code > span', (all) =>
        all.filter((word) => word.getClientRects().length > 1).map((word) => word.textContent),
      )
      broken.push(...texts.map((text) => `${path}: ${text}`))
      const wrapped = await page.$$eval('.vp-doc [class*="language-"] code', (all) =>
        all.some((code) => getComputedStyle(code).whiteSpace !== 'pre'),
      )
      if (wrapped) broken.push(`${path}: code does not scroll`)
      const cells = await page.$$eval('.stacked td:not(:first-child)', (all) =>
        all.map((cell) => [cell.textContent, getComputedStyle(cell, '::before').content] as const),
      )
      labels += cells.filter(([, label]) => label !== 'none').length
      const wrong = cells.filter(([text, label]) => (text === '') !== (label === 'none'))
      broken.push(...wrong.map(([text, label]) => `${path}: "${text}" is labelled ${label}`))
    }
    expect(labels).toBeGreaterThan(100)
    expect(broken).toEqual([])
  })

  it('copies the commands of a terminal without their output', async () => {
    const page = await open('debug/command-line.html', { permissions: ['clipboard-read', 'clipboard-write'] })
    await page.locator('.language-console:has-text("--timestamp 1700000000") > button.copy').click()
    const commands = [
      `printf '{"event":"invoice.paid","amount":100}' > body.json`,
      'npx -y inbound-webhook-tools sign body.json --secret-file webhook.secret --timestamp 1700000000 --nonce 6f9619ff',
    ]
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(commands.join('\n'))
  })

  it('lists every guide in llms.txt', () => {
    const listed = readFileSync(join(SITE, 'llms.txt'), 'utf8')
    const guides = SECTIONS.flatMap(({ pages }) => pages).filter((path) => path.startsWith('docs/'))
    const missing = guides.filter((path) => !listed.includes(`(/${path.replace('docs/', '').replace('index.md', '')}`))
    expect(missing).toEqual([])
  })

  it('search shows the best page first', async () => {
    const page = await open('index.html')
    await page.click('.VPNavBarSearch button')
    const found: Record<string, string | null> = {}
    const best = {
      stripe: '/receive/migrate.html#what-changes',
      idempotency: '/operate/exactly-once.html#exactly-once',
      retry: '/operate/exactly-once.html#when-your-code-fails',
      duplicate: '/reference/errors.html#replayed_nonce',
      rotate: '/receive/secrets.html#rotate-a-secret',
      replay: '/reference/errors.html#replayed_nonce',
      space: '/operate/#how-much-space-a-store-needs',
      ERR_NONCE_STORE: '/reference/errors.html#err_nonce_store',
      Lambda: '/receive/serverless.html#aws-lambda',
      401: '/debug/#why-a-request-gets-401',
      metrics: '/operate/observability.html#metrics-and-alerts',
      workbench: '/debug/command-line.html#workbench',
    }
    for (const word of Object.keys(best)) found[word] = await search(page, word)
    expect(found).toEqual(best)
  })

  it('each page fits 390, 768 and 1280 px, and axe finds no violation, in light and dark colours', async () => {
    const problems: string[] = []
    const lanes = [0, 1]
    await Promise.all(
      lanes.map(async (lane) => {
        // Motion is reduced, because axe would otherwise measure a colour that is still changing.
        const page = await newPage({ reducedMotion: 'reduce' })
        for (const path of pages.filter((_, index) => index % lanes.length === lane)) {
          await page.goto(`${address}${path}`)
          for (const width of WIDTHS) {
            await page.setViewportSize({ width, height: 844 })
            const found = await findClipped(page)
            for (const colorScheme of SCHEMES) {
              await useColours(page, colorScheme)
              // All rules once. Only contrast depends on the colours and on what is visible at a width.
              const rules = width === WIDTHS[0] && colorScheme === 'light' ? [] : ['color-contrast']
              const violations = await findViolations(page, WHOLE.includes(path) ? [] : PAGE_FRAME, rules)
              found.push(...violations.map((line) => `${colorScheme}: ${line}`))
            }
            problems.push(...found.map((line) => `${path}, ${width} px: ${line}`))
          }
        }
      }),
    )
    expect(problems).toEqual([])
  }, 900_000)
})
