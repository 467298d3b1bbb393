/** What a wrong response probably means, and what to change. */
export interface Advice {
  readonly cause: string
  readonly fix: string
}

/** How a response is wrong. */
export type EndpointFault =
  /** A mistake was answered with 2xx. */
  | 'accepted'
  /** A mistake was answered with 2xx and a text that says that it was rejected. */
  | 'rejected-with-2xx'
  /** A valid request was answered with 4xx. */
  | 'refused'
  /** A valid request was answered with 4xx, but other rejections get another status. */
  | 'refused-otherwise'
  | 'too-large'
  | 'content-type'
  | 'too-many'
  | 'redirected'
  /** The response is 502, 503 or 504. */
  | 'unavailable'
  | 'server-error'
  | 'no-answer'
  /** Not one of the copies was accepted. */
  | 'none-accepted'

/** The advice for a status of 500 or above in response to a valid request. */
export const FAILS_ON_GENUINE: Advice = {
  cause: 'The handler fails with a status of 500 or above for a valid request. It probably throws an exception.',
  fix: 'Read the exception in your log. If a body parser has read the body before the check, let none run on this route.',
}

/** The advice for faults that mean the same in every case. For other faults, each case has its own advice. */
export const ADVICE: { readonly [fault in EndpointFault]?: Advice } = {
  'rejected-with-2xx': {
    cause: 'A rejection is answered with 2xx and an error text. A sender takes every 2xx for success.',
    fix: 'Answer a rejection with status 401: http_response_code(401) in PHP, abort(401) in Flask, res.sendStatus(401) in Express.',
  },
  'refused-otherwise': {
    cause:
      'The status is not the one of other rejections. Probably the signature is not the reason: a body parser or your own code refuses this body.',
    fix: 'Let no body parser run before the check. If your code reads events, check with one of them as the body.',
  },
  'too-large': {
    cause: 'The response is 413. The framework or a proxy limits the size of the body.',
    fix: 'Allow 1 MB: limit in express.raw(), client_max_body_size in nginx, post_max_size in PHP, MAX_CONTENT_LENGTH in Flask.',
  },
  'content-type': {
    cause:
      'The response is 415. The framework has no parser for this content type, but the signature does not depend on it.',
    fix: 'Read the raw body for every content type: addContentTypeParser("*") in Fastify, express.raw({ type: () => true }) in Express.',
  },
  'too-many': {
    cause: 'The response is 429. The endpoint or a proxy limits the rate of requests, so this case says nothing.',
    fix: 'Send fewer requests per second: --rate of the command line. Or switch the limit off for this check.',
  },
  redirected: {
    cause: 'The response is a redirect. Senders of webhooks do not follow it.',
    fix: 'Answer with 2xx or 401 at this URL itself, without a login page, and without a slash or https added.',
  },
  unavailable: {
    cause: 'The response is 502, 503 or 504. The endpoint or its store was unavailable, so this case says nothing.',
    fix: 'Look for the reason in the log of the endpoint, the proxy and the store. Then run the check again.',
  },
  'server-error': {
    cause: 'The handler fails with a status of 500 or above. It probably throws an exception for this request.',
    fix: 'Check the headers before you use them, catch exceptions of the check, and answer 401. Your log has the exception.',
  },
  'no-answer': {
    cause:
      'No response came: the handler does not answer in every branch, or the process ended or closed the connection.',
    fix: 'Answer 401 in each branch that rejects, and catch exceptions there. The log of the process has the error.',
  },
  'none-accepted': {
    cause: 'Not one of the copies that arrive together is accepted. They probably lock each other out.',
    fix: 'Reserve the nonce in one atomic step, whose first caller wins: SET key 1 NX EX 600 in Redis, or INSERT with a unique key.',
  },
}
