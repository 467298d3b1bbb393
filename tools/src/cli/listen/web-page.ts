import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'

/** Matches the name of a host, without a port. Messages show only a name that matches, because this name is safe to paste into a shell. */
const NAME = /^[a-z0-9._-]+$/

/** Returns the name of a host in lowercase, without a dot at its end. Returns `undefined` if the text is not the name of a host. */
export function hostName(text: string): string | undefined {
  const name = text.toLowerCase().replace(/\.$/, '')
  return NAME.test(name) ? name : undefined
}

export interface Refusal {
  readonly status: number
  readonly reason: string
  readonly detail: string
}

/**
 * Returns a refusal if a site in a browser may have sent the request. Any site can send requests to this machine. A site that uses DNS
 * rebinding can also read the responses. The name of the site then leads to this machine, but `Host` still contains that name.
 *
 * @param allowedHosts - the names that are allowed in `Host`, besides IP addresses and `localhost`. `undefined` allows every name.
 */
export function refuseWebPage(
  headers: IncomingHttpHeaders,
  allowedHosts: readonly string[] | undefined,
): Refusal | undefined {
  const { host = '', origin } = headers
  const name = host.replace(/:\d*$/, '')
  const known = hostName(name)
  if (allowedHosts !== undefined && !isOwnHost(name) && !allowedHosts.some((allowed) => allowed === known)) {
    return { status: 421, reason: 'foreign_host', detail: describeHost(known) }
  }
  const isOwnOrigin = origin === undefined || origin === `http://${host}` || origin === `https://${host}`
  if (isOwnOrigin && !['cross-site', 'same-site'].includes(String(headers['sec-fetch-site']))) return undefined
  const detail = 'A page in a browser sent this request. Send it with a program, such as curl.'
  return { status: 403, reason: 'web_page', detail }
}

/** Returns whether a host is empty, `localhost` or an IP address. DNS rebinding always needs another name. */
function isOwnHost(name: string): boolean {
  return name === '' || isIP(name.replace(/^\[(.*)\]$/, '$1')) > 0 || /^(.*\.)?localhost\.?$/i.test(name)
}

function describeHost(name: string | undefined): string {
  if (name === undefined)
    return 'Host contains characters that are not allowed. Send to the address that listen prints.'
  return `Host is ${name}. If this is the host of your tunnel, start listen with --allow-host ${name}. Otherwise, a page in a browser may have sent the request.`
}
