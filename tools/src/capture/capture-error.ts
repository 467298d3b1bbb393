/** The formats of captured requests. The help and the errors show this list. */
export const CAPTURE_SHAPES: readonly string[] = [
  'HTTP text: head, blank line and body, also quoted, indented or fenced',
  'the output of curl -v, and the body in a separate file',
  'the log of an HTTP client: curl --trace, Apache HttpClient or Python',
  'a curl command, as copied for bash',
  'JSON with headers and rawBody, body or bodyBase64: a HAR file, an event of AWS Lambda, a line of a log, or an export of ngrok, webhook.site or an API client',
  'what a tool exports: a CSV of webhook.site or Application Insights, a request of Burp, headers of DevTools',
  'a dump of bytes (xxd, hexdump -C), or any other text that contains the three headers and the body',
]

const NO_CAPTURE =
  "instead of a capture: --header three times ('X-Timestamp: …', 'X-Nonce: …', 'X-Signature: …') and --body-file PATH"

/** The error for a capture that cannot be read. The message says what to do, and never contains text of the capture. */
export class CaptureError extends Error {}

/** Returns the error for a capture in an unknown format. `what` ends the sentence "The capture …", for example with `is a response`. */
export function unreadable(what: string): CaptureError {
  return new CaptureError(
    `The capture ${what}. Pass one of these:\n${[...CAPTURE_SHAPES, NO_CAPTURE].map((shape) => `- ${shape}`).join('\n')}`,
  )
}
