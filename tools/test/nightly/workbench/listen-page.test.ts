import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import {
  type Browser,
  CAN_RUN,
  findViolations,
  launch,
  type Page,
  SCHEMES,
  WIDTHS,
} from '../../../../test/nightly/packages/browser.js'
import { ROOT } from '../../../../test/support/packed.js'
import { send, signedHeaders } from '../../../../test/support/raw-client.js'
import { SECRET, startInProcess } from '../../cli/listener.js'
import { serve, temporaryFolder } from '../../resources.js'

// `listen --page` in a real browser.

const SENT = Buffer.from(
  '{"event":"invoice.paid","url":"https://example.com/invoices/42","amount":12.5,"customer":"Zoë"}',
)
/** What json_encode of PHP writes. */
const SIGNED = Buffer.from(
  '{"event":"invoice.paid","url":"https:\\/\\/example.com\\/invoices\\/42","amount":12.5,"customer":"Zo\\u00eb"}',
)

describe.runIf(CAN_RUN)('the page of listen', () => {
  const folder = temporaryFolder()
  let browser: Browser

  beforeAll(async () => {
    const { buildWorkbench } = await import('../../../src/workbench/build.js')
    mkdirSync(join(folder, 'dist'))
    writeFileSync(join(folder, 'dist/workbench.html'), await buildWorkbench())
    browser = await launch()
  })

  afterAll(() => browser.close())

  async function listen(args: readonly string[] = []) {
    const listener = await startInProcess(['--page', '--json', ...args], {}, undefined, folder)
    onTestFinished(async () => void (await listener.interrupt()))
    const { page } = JSON.parse(listener.stdout().split('\n')[0] ?? '')
    return { listener, port: listener.port, url: String(page) }
  }

  async function open(url: string, options: Parameters<Browser['newContext']>[0] = {}): Promise<Page> {
    const context = await browser.newContext(options)
    const page = await context.newPage()
    const problems: string[] = []
    page.on('pageerror', ({ message }) => problems.push(message))
    page.on('dialog', (dialog) => problems.push(`a dialog: ${dialog.message()}`))
    onTestFinished(async () => {
      await context.close()
      expect(problems).toEqual([])
    })
    await page.goto(url)
    await page.waitForFunction(() => document.documentElement.dataset['state'] === 'done')
    return page
  }

  /** Sends a request that is valid unless `parts` say otherwise. */
  const post = (port: number, parts: Parameters<typeof signedHeaders>[0] = {}, path = '/hooks/42', body = SENT) =>
    send(port, {
      path,
      headers: [
        ['User-Agent', 'PHP/8.2'],
        ['Content-Type', 'application/json'],
        ...signedHeaders({ body, secret: SECRET, ...parts }),
      ],
      body,
    })

  const shown = (page: Page, id: number) =>
    page.waitForFunction((id) => {
      const { shown, state } = document.documentElement.dataset
      return shown === String(id) && state === 'done'
    }, id)

  async function choose(page: Page, id: number): Promise<void> {
    await page.click(`[data-id="${id}"] button`)
    await shown(page, id)
  }

  const rowsOf = (page: Page) => page.$$eval('#request-list li', (rows) => rows.map((row) => row.textContent))

  it('shows the requests from before it was opened and after, and the newest one until another is chosen', async () => {
    const { port, url } = await listen()
    await post(port)
    await post(port, { body: SIGNED })
    const page = await open(url)
    await shown(page, 2)
    expect(await rowsOf(page)).toEqual([
      expect.stringMatching(
        /^\d\d:\d\d:\d\dZ✗ signature_mismatchPOST \/hooks\/42The sender signed the JSON as PHP's json_encode/,
      ),
      expect.stringMatching(/^\d\d:\d\d:\d\dZ✓ acceptedPOST \/hooks\/42$/),
    ])
    await post(port, {}, '/third')
    await shown(page, 3)
    expect(await page.textContent('#live-request h2')).toBe('POST /third')
    expect(await page.textContent('#announcement')).toBe('New request: POST /third, accepted')

    await choose(page, 1)
    await post(port, {}, '/fourth')
    await page.waitForSelector('[data-id="4"]')
    expect(await page.getAttribute('[data-id="1"] button', 'aria-current')).toBe('true')
    expect(await page.locator('[aria-current]').count()).toBe(1)
    await page.click('#follow')
    await shown(page, 4)
    await post(port, {}, '/fifth')
    await shown(page, 5)
  })

  it('shows what was signed beside what arrived, and does not search again', async () => {
    const { port, url } = await listen()
    await post(port, { body: SIGNED, nonce: 'abc' })
    const page = await open(url)
    await shown(page, 1)
    expect(await page.textContent('#live-request .verdict')).toBe('Refused: signature_mismatch, answered 401')
    expect(await page.getAttribute('.finding', 'data-code')).toBe('body_json')
    // The line to change is in the language of the sender.
    expect(await page.locator('.finding dt').allTextContents()).toEqual(['PHP'])
    const sides = await page.locator('.sides pre').allTextContents()
    expect(sides.map((text) => text.replace(/^\d+/, ''))).toEqual([`:abc:${SIGNED}`, `:abc:${SENT}`])
    expect(await page.locator('.sides mark').allTextContents()).toEqual(['\\', '/'])
    expect(await page.textContent('.card:has(.sides)')).toContain('The first difference is at byte 37 of the body.')
    expect(page.workers()).toEqual([])
    // Only the finding and the difference are open.
    expect(await page.locator('.finding .fix').first().isVisible()).toBe(true)
    for (const folded of ['.evidence', '.rules']) expect(await page.locator(folded).isVisible(), folded).toBe(false)
    const guide = /inbound-webhook-tools@[\d.]+\/docs\/debug\/findings\.md/
    expect(await page.getAttribute('.finding h3 a', 'href')).toMatch(guide)
    expect(await page.getByRole('link', { name: 'How to read a finding' }).getAttribute('href')).toMatch(guide)
  })

  it('shows hostile bytes, and runs none of them', async () => {
    const { port, url } = await listen()
    const evil = '<script>alert(1)</script><img src=x onerror=alert(2)>'
    const body = Buffer.concat([Buffer.from(`${evil}\u202e\0</pre>`), Buffer.of(0xff)])
    const headers: [string, string][] = [
      ['User-Agent', evil],
      ['X-Evil', `"><svg onload=alert(3)>`],
      ...signedHeaders({ body, secret: SECRET }),
      ['X-Nonce', evil],
    ]
    await send(port, { path: `/${evil.replaceAll(' ', '/')}?javascript:alert(4)`, method: 'PUT', headers, body })
    await send(port, { path: '/missing', headers: [['X-Signature', evil]], body })
    const page = await open(url)
    for (const id of [1, 2]) {
      await choose(page, id)
      expect(await page.locator(':is(.columns, header) :is(script, img, svg, iframe)').count()).toBe(0)
    }
    await choose(page, 1)
    expect(await page.textContent('#live-request h2')).toBe(`PUT /${evil.replaceAll(' ', '/')}?javascript:alert(4)`)
    expect(await page.textContent('#live-request .muted')).toContain(evil)
    expect(await page.textContent('[aria-label="The signed message as text"]')).toContain(
      `${evil}[e2][80][ae][NUL]</pre>[ff]`,
    )
  })

  it('signs a request again, sends it to the endpoint, and shows the response', async () => {
    const { origin, received } = await serve((_, response) => {
      response.writeHead(received.length === 1 ? 401 : 503, { 'X-Answer': '<b>' }).end('<script>alert(1)</script>')
    })
    const { port, url } = await listen(['--forward-to', `${origin}/hooks/7`])
    await post(port, { nonce: 'abc' })
    const page = await open(url)
    await shown(page, 1)
    expect(await page.textContent('#live-request .verdict')).toBe('Accepted, response of the endpoint: 401')
    expect(await page.textContent('#live-request .warning')).toContain('so the mistake is in the endpoint')
    await page.click('text=Sign and send again')
    await page.waitForSelector('#outcome .card')
    const outcome = (await page.textContent('#outcome')) ?? ''
    for (const text of [
      'The endpoint responded 503',
      'X-Answer: <b>',
      '<script>alert(1)</script>',
      `${origin}/hooks/7`,
    ]) {
      expect(outcome).toContain(text)
    }
    const nonces = received.map(({ headers }) => headers['x-nonce'])
    expect(nonces).toEqual(['abc', expect.stringMatching(/^[\da-f-]{36}$/)])
  })

  it('another page reads, sends and frames nothing, even if it knows the address', async () => {
    const { origin, received } = await serve((_, response) =>
      response.writeHead(200, { 'Content-Type': 'text/html' }).end('<!doctype html><title>another page</title>'),
    )
    const countForwarded = () => received.filter(({ method }) => method === 'POST').length
    const { port, url } = await listen(['--forward-to', origin])
    await post(port)
    const own = await open(url)
    await shown(own, 1)
    await own.click('text=Sign and send again')
    await own.waitForSelector('#outcome .card')
    expect(countForwarded()).toBe(2)

    const page = await open(`${url}`)
    await page.goto(origin)
    const outcome = await page.evaluate(async (url) => {
      const attempt = (work: Promise<unknown>) => work.then(() => 'done').catch(() => 'refused')
      const loaded = (target: EventTarget, event: string) =>
        attempt(
          new Promise((resolve, reject) => {
            target.addEventListener(event, resolve)
            target.addEventListener('error', reject)
          }),
        )
      const script = Object.assign(document.createElement('script'), { src: `${url}requests/1` })
      const scriptLoaded = loaded(script, 'load')
      document.head.append(script)
      const action = `${url}requests/1/sign-and-send`
      const body = { method: 'POST', body: '{}' }
      return {
        read: await attempt(fetch(`${url}requests/1`)),
        act: await attempt(fetch(action, { ...body, headers: { 'Content-Type': 'application/json' } })),
        // It is sent without a question before, and its response cannot be read.
        blind: await attempt(fetch(action, { ...body, mode: 'no-cors' })),
        events: await loaded(new EventSource(`${url}events`), 'open'),
        script: await scriptLoaded,
      }
    }, url)
    const refused = { read: 'refused', act: 'refused', events: 'refused', script: 'refused' }
    expect(outcome).toEqual({ ...refused, blind: expect.any(String) })
    expect(countForwarded()).toBe(2)

    await page.evaluate((url) => {
      const frame = document.createElement('iframe')
      frame.src = url
      document.body.append(frame)
    }, url)
    await expect.poll(() => page.frames().at(-1)?.url() ?? '').toMatch(/^chrome-error:/)
  })

  it('has no violation that axe can find, and fits each width, in light and dark colours', async () => {
    const { port, url } = await listen(['--forward-to', 'http://127.0.0.1:9/'])
    await post(port)
    await post(port, { body: SIGNED })
    await post(port, {}, `/${'long'.repeat(100)}`)
    await post(port, { timestamp: String(Math.floor(Date.now() / 1000) - 400) })
    await send(port, { path: '/missing', headers: [[`X-${'Long'.repeat(50)}`, 'a'.repeat(500)]], body: SENT })
    for (const colorScheme of SCHEMES) {
      const page = await open(url, { colorScheme, viewport: { width: 1280, height: 900 } })
      for (const id of [1, 5, 3, 2]) {
        await choose(page, id)
        await page.click('text=Sign and send again')
        await page.waitForSelector('#outcome .card')
        for (const width of WIDTHS) {
          await page.setViewportSize({ width, height: 900 })
          expect(await page.evaluate(() => document.documentElement.scrollWidth), `${id} ${width}`).toBe(width)
        }
        expect(await findViolations(page), String(id)).toEqual([])
      }
    }
  })

  it.runIf(process.env['PICTURES'])('draws the picture in the guide', async () => {
    const { port, url } = await listen()
    await post(port, { nonce: 'a3f1' })
    await post(port, { nonce: 'a3f1' })
    await post(port, { timestamp: String(Math.floor(Date.now() / 1000) - 3600) }, '/hooks/7')
    await post(port, { body: SIGNED })
    const page = await open(url, { viewport: { width: 1024, height: 760 }, colorScheme: 'light' })
    await shown(page, 4)
    const png = (await page.screenshot()).toString('base64')
    const blank = await (await browser.newContext()).newPage()
    const webp = await blank.evaluate(async (png) => {
      const image = new Image()
      image.src = `data:image/png;base64,${png}`
      await image.decode()
      const canvas = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height })
      canvas.getContext('2d')?.drawImage(image, 0, 0)
      return canvas.toDataURL('image/webp', 0.6).split(',')[1] ?? ''
    }, png)
    writeFileSync(join(ROOT, 'docs/debug/listen-page.webp'), Buffer.from(webp, 'base64'))
  })
})
