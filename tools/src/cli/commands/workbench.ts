import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { defineCommand } from '../command.js'
import { openInBrowser, PAGE_HEADERS, readWorkbench, WORKBENCH } from '../workbench-page.js'

export const workbench = defineCommand({
  name: 'workbench',
  summary: 'Opens the workbench: a page that checks a captured request.',
  operands: [],
  options: { 'no-open': { help: 'prints the address, and starts no browser' } },
  notes: [
    'The page is served on 127.0.0.1 until you press Ctrl+C. The page connects to nothing and stores nothing.',
    `The page is one file of this package, ${WORKBENCH}, which also works offline.`,
  ],
  example: 'workbench',

  async run({ values }, context) {
    const page = await readWorkbench(context)
    const server = createServer((request, response) => {
      const isPage = request.method === 'GET' && request.url === '/'
      response.writeHead(isPage ? 200 : 404, PAGE_HEADERS)
      response.end(isPage ? page : '')
    })
    // The open server keeps the process running after this function has returned.
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    if (!values['no-open']) openInBrowser(url, context.env)
    return { exitCode: 0, text: `The workbench is at ${url}\nPress Ctrl+C to end it.\n`, document: { url } }
  },
})
