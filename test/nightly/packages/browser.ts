import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { isInstalled } from '../../support/programs.js'
import { hasPackage, PACKAGES } from './packages.js'

export type { Browser, Page }

/** Without windows, Chromium needs half of the time. */
const BROWSER = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/google-chrome',
  '/opt/homebrew/bin/chromium',
].find((path) => existsSync(path))

/** Whether the browser and its driver are installed. */
export const CAN_RUN =
  isInstalled('the driver of the browser', hasPackage('playwright-core')) &&
  isInstalled('chromium', BROWSER !== undefined)

const AXE = CAN_RUN ? readFileSync(join(PACKAGES, 'axe-core/axe.min.js'), 'utf8') : ''

/** Starts a browser without a window. */
export async function launch(): Promise<Browser> {
  const { chromium } = await import('playwright-core')
  // Without its sandbox, the browser also runs as root in a container. It opens only pages of this repository.
  return chromium.launch({ args: ['--no-sandbox'], ...(BROWSER === undefined ? {} : { executablePath: BROWSER }) })
}

export const WIDTHS = [390, 768, 1280] as const
export const SCHEMES = ['light', 'dark'] as const

/**
 * Returns the violations that axe finds on a page, one line per rule.
 *
 * @param exclude - selectors of the parts that are not checked.
 * @param rules - the only rules that are checked. All if there are none.
 */
export async function findViolations(
  page: Page,
  exclude: readonly string[] = [],
  rules: readonly string[] = [],
): Promise<string[]> {
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(AXE)
  return page.evaluate(
    async ([exclude, rules]) => {
      type Violation = { id: string; nodes: { html: string }[] }
      type Axe = { run(context: object, options: object): Promise<{ violations: Violation[] }> }
      const present = exclude.filter((selector) => document.querySelector(selector) !== null)
      const context = present.length === 0 ? document : { exclude: present.map((selector) => [selector]) }
      const options = { resultTypes: ['violations'], ...(rules.length === 0 ? {} : { runOnly: rules }) }
      const { violations } = await (globalThis as unknown as { axe: Axe }).axe.run(context, options)
      const describe = ({ html }: { html: string }) => html.slice(0, 200)
      return violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map(describe).join(' ')}`)
    },
    [exclude, rules] as const,
  )
}

/** Opens a page, and returns its first paint in milliseconds. */
export async function measureFirstPaint(browser: Browser, url: string): Promise<number> {
  const page = await browser.newPage()
  await page.goto(url)
  await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length > 0)
  return page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN)
}
