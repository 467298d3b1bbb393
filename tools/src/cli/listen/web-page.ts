import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'

/** A name of a host, without a port. The names in messages are safe to paste into a shell. */
const NAME = /^[a-z0-9._-]+$/

/** Returns a host in the form in which hosts are compared, or `undefined` if it is not a name. */
export function hostName(text: string): string | undefined {
  const name = text.toLowerCase().replace(/\.$/, '')
  return NAME.test(name) ? name : undefined
}

/** Why a request is refused, because a page in a browser may have sent it. */
export interface Refusal {
  readonly status: number
  readonly reason: string
  readonly detail: string
}

/**
 * Returns a refusal if a page in a browser may have sent a request. A page can send requests to this machine. If the page's own name
 * leads to this machine (DNS rebinding), the page can also read the responses, but `Host` is then the name of the page.
 *
 * @param allowedHosts - the names that `Host` may have besides this machine and addresses. `undefined` allows every name.
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

/** Returns whether a host is empty, a name of this machine or an IP address. DNS rebinding needs another name. */
function isOwnHost(name: string): boolean {
  return name === '' || isIP(name.replace(/^\[(.*)\]$/, '$1')) > 0 || /^(.*\.)?localhost\.?$/i.test(name)
}

function describeHost(name: string | undefined): string {
  if (name === undefined) return 'Host is not a name. Send to the address that listen prints.'
  return `Host is ${name}. If it is your tunnel, start listen with --allow-host ${name}. Otherwise, a page in a browser may have sent this.`
}
