import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { BlockList, isIP, isIPv6 } from 'node:net'
import { defineCommand, quote, UsageError } from '../command.js'
import { describeError } from '../describe-error.js'
import { parseUrl } from '../http-client.js'
import { LANGUAGE_OPTION, parseLanguage } from '../input/language.js'
import { assertPublicKeys, publicKeyNotes } from '../input/scheme.js'
import { loadSecrets, SECRET_OPTIONS, weaknessNotes } from '../input/secret-source.js'
import { keepsPath } from '../listen/forward.js'
import { PageServer } from '../listen/page-server.js'
import { Receiver } from '../listen/receiver.js'
import { countsText, jsonLine, reportJson, reportText } from '../listen/report.js'
import { hostName } from '../listen/web-page.js'
import { notesText, type Style, styleOf, wrapText, write } from '../output/terminal.js'
import { openPrivately, readWorkbench } from '../workbench-page.js'

const DEFAULT_PORT = 4000

export const listen = defineCommand({
  name: 'listen',
  summary: 'Receives requests, and explains each one as it arrives.',
  operands: [],
  options: {
    ...SECRET_OPTIONS,
    port: {
      value: 'PORT',
      kind: 'number',
      help: `the port to listen on, or 0 for a free port. Default: ${DEFAULT_PORT}`,
    },
    host: { value: 'HOST', help: 'the address to listen on. Default: 127.0.0.1, which only this machine can reach' },
    'allow-host': {
      value: 'NAME',
      kind: 'several',
      help: 'also accepts this name in Host, for example the name of a tunnel. Without --host, other names get 421',
    },
    save: {
      value: 'DIR',
      help: 'saves each request to this folder, for diagnose, the workbench and send --request.\nThe secret in it is masked',
    },
    'forward-to': {
      value: 'URL',
      help: 'passes each request on unchanged, returns the response to the sender, and says why the endpoint decided differently. Unsigned requests are passed on too.\nIf the URL has no path, each request keeps its own path, so requests can reach the whole app',
    },
    page: {
      help: 'also opens a page in the browser, which shows each request as it arrives, with the bytes of both sides',
    },
    'no-open': { help: 'with --page: prints the address of the page, and starts no browser' },
    ...LANGUAGE_OPTION,
  },
  notes: [
    'The listener accepts any method and any path, and bodies of up to 1 MiB. Press Ctrl+C to end the listener, which then prints how many requests had each reason.',
    'The page is served on 127.0.0.1. Keep the address of the page private, because anybody with this address can read the requests. The page never contains the secret.',
    'With --json, each line of the output is one JSON object: first the address, then one object per request, and at the end the counts.',
    'Show the findings only to the owner of the secret, because findings say more than a sender should know.',
  ],
  example: 'listen --secret-env SECRET --page',

  async run(call, context, style) {
    const { port = DEFAULT_PORT, host = '127.0.0.1', save, json: isJson = false } = call.values
    if (!Number.isInteger(port) || port < 0 || port > 65_535) {
      throw new UsageError(`--port ${port} is not a port. Pass a number from 0 to 65535.`)
    }
    const target = call.values['forward-to']
    const endpoint = target === undefined ? undefined : parseUrl(target, '--forward-to')
    const { LANGUAGES } = await import('../../diagnose/index.js')
    const language = parseLanguage(call.values.language, LANGUAGES)
    const named = call.values['allow-host']?.map(parseHost)
    const loaded = await loadSecrets(call, context)
    assertPublicKeys(loaded.secrets)
    const html = call.values.page ? String(await readWorkbench(context)) : undefined
    if (save !== undefined) await createFolder(save)

    const { stdout, stderr, clock } = context
    const counts = new Map<string, number>()
    const { secrets, names } = loaded
    const page = html === undefined ? undefined : new PageServer({ html, endpoint, secrets, language, clock })
    const receiver = new Receiver({
      secrets,
      names,
      clock,
      endpoint,
      folder: save,
      // With --host, other machines can use any name for this machine, so every name is allowed.
      allowedHosts: named ?? (isLoopback(host) ? [] : undefined),
      async print(report, received) {
        const result = report.ok ? 'accepted' : String(report.reason)
        counts.set(result, (counts.get(result) ?? 0) + 1)
        page?.add(report, received)
        await write(stdout, isJson ? reportJson(report) : reportText(report, style, language))
      },
    })
    const server = createServer(
      { requireHostHeader: false },
      (request, response) => void receiver.receive(request, response),
    )
    server.on('clientError', (error, socket) => receiver.refuseConnection(error, socket))
    const origin = await start(server, host, port)

    const passed = endpoint === undefined ? [] : [passesOn(endpoint)]
    const warnings = isLoopback(host) ? passed : [...passed, WARNING]
    const notes = [...loaded.notes, ...weaknessNotes(loaded), ...publicKeyNotes(loaded.secrets), ...warnings]
    await write(stderr, notesText(notes, styleOf(stderr)))
    const url = await page?.start(origin)
    await write(stdout, isJson ? jsonLine({ listening: origin, page: url }) : heading(origin, url, styleOf(stdout)))
    const isOpened = url !== undefined && !isJson && !call.values['no-open']
    const removeFile = isOpened ? await openPrivately(url, context.env) : undefined
    await Promise.race([context.untilInterrupted(), once(receiver.failed, 'abort')])
    await removeFile?.()
    const stopped = receiver.stop()
    server.close()
    server.closeAllConnections()
    await stopped
    await page?.end()
    receiver.failed.throwIfAborted()
    const summary = isJson ? jsonLine({ counts: Object.fromEntries(counts) }) : `\n${countsText(counts)}\n`
    await write(stdout, summary)
    return { exitCode: 0, text: '', document: undefined }
  },
})

const WARNING =
  'Warning: other machines can reach this address. Anybody on these machines can send requests, which use the processor of this machine. Use --host only in a network that you trust, or use a tunnel without --host.'

function passesOn(endpoint: URL): string {
  const where = keepsPath(endpoint) ? `the whole app at ${endpoint.origin}` : endpoint.href
  return `--forward-to passes unsigned requests on too, so everybody who can send to this listener reaches ${where}.`
}

function heading(origin: string, page: string | undefined, style: Style): string {
  const pageLine = page === undefined ? '' : `The page is at ${page}\n`
  const text = `Listening on ${origin} (any path). Press Ctrl+C to end.
${pageLine}For a public address, start a tunnel in another terminal, such as one of these:
  cloudflared tunnel --url ${origin} --http-host-header localhost
  ngrok http ${origin} --host-header=localhost`
  return `${wrapText(text, style)}\n\n`
}

function parseHost(text: string): string {
  const name = hostName(text)
  if (name === undefined) {
    throw new UsageError(
      `--allow-host${quote(text)} is not a host name. Pass the host of your tunnel, without http:// and without a port.`,
    )
  }
  return name
}

async function createFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new UsageError(`Cannot create the folder${quote(folder)} of --save: ${describeError(error)}.`)
  }
}

/** Starts a server and resolves to the beginning of its URL: `http://127.0.0.1:4000`. */
async function start(server: Server, host: string, port: number): Promise<string> {
  server.listen(port, host)
  try {
    await once(server, 'listening')
  } catch (error) {
    throw new UsageError(
      `Cannot listen on ${host}, port ${port}: ${describeError(error)}. Pass another --port, such as 0 for a free port, or another --host.`,
    )
  }
  const { port: actual } = Object(server.address())
  return `http://${isIPv6(host) ? `[${host}]` : host}:${actual}`
}

const LOOPBACK = new BlockList()
LOOPBACK.addSubnet('127.0.0.0', 8)
LOOPBACK.addAddress('::1', 'ipv6')

function isLoopback(host: string): boolean {
  return host === 'localhost' || (isIP(host) > 0 && LOOPBACK.check(host, isIPv6(host) ? 'ipv6' : 'ipv4'))
}
