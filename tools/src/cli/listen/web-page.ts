import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'

/** Matches the name of a host, without a port. A message only repeats names that match, because such a name is safe in a shell. */
const NAME = /^[a-z0-9._-]+$/

/** Returns the normal form of a host, for comparisons, or `undefined` if the text is not a host. */
export function hostName(text: string): string | undefined {
  const name = text.toLowerCase().replace(/\.$/, '')
  return NAME.test(name) ? name : undefined
}

/** The reason for refusing a request that a page in a browser may have sent. */
export interface Refusal {
  readonly status: number
  readonly reason: string
  readonly detail: string
}

/**
 * Returns a refusal if a page in a browser may have sent the request, because any page can send requests to this machine. With DNS
 * rebinding, the name of a page leads to this machine. The page can then read the responses too, but `Host` is the name of the page.
 *
 * @param allowedHosts - the names that `Host` may have, besides addresses and the names of this machine. `undefined` allows every name.
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

/** Returns whether a host is empty, a name of this machine or an IP address, because DNS rebinding needs another name. */
function isOwnHost(name: string): boolean {
  return name === '' || isIP(name.replace(/^\[(.*)\]$/, '$1')) > 0 || /^(.*\.)?localhost\.?$/i.test(name)
}

function describeHost(name: string | undefined): string {
  if (name === undefined) return 'Host has characters that no host name has. Send to the address that listen prints.'
  return `Host is ${name}. If this is the host of your tunnel, start listen with --allow-host ${name}. Otherwise, a page in a browser may have sent the request.`
}
