/** The probable cause of a wrong response, and what to change. */
export interface Advice {
  readonly cause: string
  readonly fix: string
}

/** How a response is wrong. */
export type EndpointFault =
  /** A request with a mistake got 2xx. */
  | 'accepted'
  /** A request with a mistake got 2xx and a body that reports an error. */
  | 'rejected-with-2xx'
  /** The response to a request with a wrong signature contains the right signature. */
  | 'leaks-signature'
  /** A valid request got 4xx. */
  | 'refused'
  /** A valid request got a 4xx status that differs from the status for a forged request. */
  | 'refused-otherwise'
  | 'too-large'
  | 'content-type'
  | 'too-many'
  | 'redirected'
  /** The response is 502, 503 or 504. */
  | 'unavailable'
  | 'server-error'
  | 'no-answer'
  /** A forged request got 2xx, and then the endpoint stopped. */
  | 'answers-early'
  /** None of the copies was accepted. */
  | 'none-accepted'

/** The advice if a valid request gets a status of 500 or above. */
export const FAILS_ON_VALID: Advice = {
  cause:
    'The handler fails with a status of 500 or above for a valid request. The handler probably throws an exception.',
  fix: 'Read the exception in your log. If a body parser reads the body before the check, remove the body parser from this route.',
}

/** The advice for each fault that has the same advice in every case. For other faults, each case has its own advice. */
export const ADVICE: { readonly [fault in EndpointFault]?: Advice } = {
  'rejected-with-2xx': {
    cause: 'The endpoint rejects a request with 2xx and an error text. Senders treat every 2xx as success.',
    fix: 'Reject with status 401: http_response_code(401) in PHP, abort(401) in Flask, res.sendStatus(401) in Express.',
  },
  'leaks-signature': {
    cause:
      'The response to a rejected request contains the signature that the endpoint expected. Anybody can copy it and send a forged request that is accepted.',
    fix: 'Reject with status 401 and no text. Never send the expected signature, not even in a header or an error page.',
  },
  'refused-otherwise': {
    cause:
      'A request with an invalid signature gets another status, so the signature is probably not the reason. A body parser or your own code probably refuses this body.',
    fix: 'Run the check before any body parser. If your code accepts only known events, pass one of these events as the body of the check.',
  },
  'too-large': {
    cause: 'The response is 413. The framework or a proxy limits the size of the body.',
    fix: 'Allow 1 MB: limit in express.raw(), client_max_body_size in nginx, post_max_size in PHP, MAX_CONTENT_LENGTH in Flask.',
  },
  'content-type': {
    cause: 'The response is 415, because the framework has no parser for this content type.',
    fix: 'Read the raw body for every content type: addContentTypeParser("*") in Fastify, express.raw({ type: () => true }) in Express.',
  },
  'too-many': {
    cause:
      'The response is 429. The endpoint or a proxy limits the rate of requests, so the result of this case is unknown.',
    fix: 'Send fewer requests per second (--rate on the command line), or switch off the limit for this check.',
  },
  redirected: {
    cause: 'The response is a redirect. Senders of webhooks do not follow redirects.',
    fix: 'Return 2xx or 401 at this URL. Do not redirect to a login page, to https, or to the URL with a slash at the end.',
  },
  unavailable: {
    cause:
      'The response is 502, 503 or 504. The endpoint or its store was unavailable, so the result of this case is unknown.',
    fix: 'Look for the reason in the log of the endpoint, the proxy and the store. Then run the check again.',
  },
  'server-error': {
    cause:
      'The handler fails with a status of 500 or above. The handler probably throws an exception for this request.',
    fix: 'Check the headers before you use their values, catch exceptions of the check, and answer 401. Your log has the exception.',
  },
  'no-answer': {
    cause:
      'No response came. Perhaps the handler does not respond in every branch, or the process ended or closed the connection.',
    fix: 'Return 401 in each branch that rejects a request, and catch exceptions. The error is in the log of the process.',
  },
  'answers-early': {
    cause:
      'The endpoint responds before the check ends: a request with an invalid signature got 2xx, and then the endpoint stopped. The error of the check probably ended the process.',
    fix: 'Await the check before you respond, such as await handle(…), and catch its error: try { await handle(…) } catch (error) { refuse(response, error) }.',
  },
  'none-accepted': {
    cause: 'None of the copies that arrive together is accepted. The copies probably block each other.',
    fix: 'Reserve the nonce in one atomic step, so that the first copy is accepted: SET key 1 NX EX 600 in Redis, or INSERT with a unique key.',
  },
}
