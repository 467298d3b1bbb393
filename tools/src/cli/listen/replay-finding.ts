import type { Finding, Language } from '../../diagnose/index.js'
import { X_SIGNATURE } from '../../schemes.js'

const LINES: Finding['fixes'] = {
  node: "for (…) await fetch(url, { method: 'POST', body, headers: sign(body, secret) })",
  python: 'headers = signed_headers() in the loop; no urllib3 Retry',
  go: 'sign(request, secret, body) in the loop; no retrying transport',
  ruby: 'headers = signed_headers(body) in the loop; http.max_retries = 0',
  php: '...signedHeaders($secret, $body) in the loop; no retry middleware in Guzzle',
  java: 'client.send(signed(url, secret, body), …) in the loop',
  csharp: 'client.SendAsync(Signed(url, secret, body)) in the loop; no retrying DelegatingHandler',
  shell: 'timestamp=… nonce=… signature=… in the loop; no curl --retry',
}

/** Returns the finding for a replay, which only `listen` has. `evidence` says when the first copy was accepted: `the same nonce 12 s ago`. */
export function replayFinding(evidence: string, language: Language | undefined, scheme = X_SIGNATURE): Finding {
  const first = language === undefined ? {} : { [language]: LINES[language] }
  const sign = scheme.isStandard
    ? 'Sign each retry again, with a new timestamp'
    : 'Use a new nonce for every attempt. Sign each retry again, with a new timestamp and a new nonce'
  return {
    code: 'nonce_reused',
    side: 'unknown',
    message: scheme.isStandard
      ? `${scheme.headers.nonce} and ${scheme.headers.timestamp} were used together before: the same attempt was accepted less than 600 s ago.`
      : 'X-Nonce or the signed message was already accepted less than 600 s ago.',
    fix: `On the sender's side: ${sign}, and switch off the retries of the HTTP client and the queue.\nOn the receiver's side: If you did not expect a second request, somebody captured the first request and sent a copy. The copy was refused, so you do not need to act.`,
    fixes: Object.fromEntries(Object.entries({ ...first, ...LINES }).filter(([, line]) => line !== undefined)),
    evidence: `Accepted before: ${evidence}.`,
  }
}
