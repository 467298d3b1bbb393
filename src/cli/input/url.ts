import { UsageError } from '../usage-error.js'

/** A URL to send to. */
export function parseUrl(text: string): URL {
  if (!URL.canParse(text)) throw new UsageError('that is no URL: pass one such as https://example.com/hooks/42')
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new UsageError(
      'the URL begins with neither http:// nor https://: pass one such as https://example.com/hooks/42',
    )
  }
  if (url.username !== '' || url.password !== '') {
    throw new UsageError(
      'the URL carries a user name or a password, which every process of the machine can read in the process list: pass it without',
    )
  }
  return url
}
