// Calls every verifier as its documentation says, with requests that are signed for it. The body is raw bytes. Each request has
// a new nonce, if the format has one.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { MemoryNonceStore, verify } from '../../dist/index.js'
import { importPackage, PACKAGES, requirePackage } from '../nightly/packages/packages.js'

const require = createRequire(import.meta.url)

/**
 * @typedef {object} Verifier
 * @property {string} name
 * @property {string} version
 * @property {(body: Buffer) => () => unknown} received - makes a genuine request as a server receives it. Returns a function
 * that verifies it, and returns the result or a promise of it.
 * @property {(result: unknown) => boolean} isAcceptance - if the verifier throws for a forgery, every result is an acceptance.
 */

export const SECRET = randomBytes(32).toString('base64url')

/**
 * Returns a flat string, as an HTTP server does for the value of a header.
 *
 * @param {string} text
 */
export function flat(text) {
  return Buffer.from(text, 'latin1').toString('latin1')
}

export function uuid() {
  const hex = randomBytes(16).toString('hex')
  return flat(`${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`)
}

function seconds() {
  return secondsAgo(0)
}

/** Returns a timestamp. @param {number} seconds */
export function secondsAgo(seconds) {
  return flat(String(Math.floor(Date.now() / 1000) - seconds))
}

/** Returns JSON, because some verifiers parse the body. @param {number} size - in bytes. At least 37, or 0. */
export function bodyOf(size) {
  if (size === 0) return Buffer.alloc(0)
  const frame = JSON.stringify({ event: 'invoice.paid', text: '' })
  return Buffer.from(JSON.stringify({ event: 'invoice.paid', text: 'x'.repeat(size - frame.length) }))
}

/**
 * Adds headers to those that every request has, one by one as an HTTP server does.
 *
 * @param {Record<string, string>} own
 */
function headersWith(own) {
  /** @type {Record<string, string>} */
  const headers = {}
  const usual = {
    host: 'hooks.example.com',
    'user-agent': 'Sender/1.0',
    accept: '*/*',
    'content-type': 'application/json',
    'content-length': '1024',
    'accept-encoding': 'gzip',
    'x-forwarded-for': '203.0.113.7',
    'x-forwarded-proto': 'https',
  }
  for (const [name, value] of [...Object.entries(usual), ...Object.entries(own)]) headers[name] = value
  return headers
}

/**
 * The work that every verifier must do: the HMAC and the comparison. The signed message is one buffer already.
 *
 * @returns {Verifier}
 */
export function baseline() {
  return {
    name: 'baseline: createHmac + timingSafeEqual',
    version: process.version,
    received(body) {
      const message = Buffer.concat([Buffer.from(`${seconds()}:${uuid()}:`), body])
      const signature = flat(createHmac('sha256', SECRET).update(message).digest('hex'))
      return () => {
        const expected = createHmac('sha256', SECRET).update(message).digest()
        return timingSafeEqual(expected, Buffer.from(signature, 'hex'))
      }
    },
    isAcceptance: (result) => result === true,
  }
}

/** @returns {Verifier} */
export function own() {
  const nonceStore = new MemoryNonceStore({ maxEntries: 8_000_000 })
  return {
    name: 'inbound-webhook-auth',
    version: require('../../package.json').version,
    received(body) {
      const request = signed(body)
      return () => verify(request, SECRET, nonceStore)
    },
    isAcceptance: (result) => Object(result).ok === true,
  }
}

/**
 * Returns a genuine request to this library, or one that breaks a rule.
 *
 * @param {Buffer} body
 * @param {{ timestamp?: string, signature?: string }} [broken]
 */
export function signed(body, broken = {}) {
  const { timestamp = seconds() } = broken
  const nonce = uuid()
  const { signature = createHmac('sha256', SECRET).update(`${timestamp}:${nonce}:`).update(body).digest('hex') } =
    broken
  const headers = { 'x-timestamp': timestamp, 'x-nonce': nonce, 'x-signature': flat(signature) }
  return { webhookId: 'billing', headers: headersWith(headers), body }
}

/**
 * Calls `verifyHeader`, without the JSON.parse that `constructEvent` adds.
 *
 * @returns {Verifier}
 */
function stripe() {
  const Stripe = requirePackage('stripe')
  const { webhooks } = new Stripe('not a key')
  return {
    name: 'stripe',
    version: versionOf('stripe'),
    received(body) {
      const header = stripeHeader(body, seconds())
      return () => webhooks.signature.verifyHeader(body, header, SECRET, 300)
    },
    isAcceptance: (result) => result === true,
  }
}

/**
 * Forged and stale requests to Stripe's verifier, which throws.
 *
 * @param {Buffer} body
 * @returns {import('./rounds.js').Contestant[]}
 */
export function stripeRejections(body) {
  const Stripe = requirePackage('stripe')
  const { webhooks } = new Stripe('not a key')
  const rejected = (/** @type {() => string} */ headerOf) => () => {
    const header = headerOf()
    return () => {
      try {
        return webhooks.signature.verifyHeader(body, header, SECRET, 300)
      } catch (error) {
        return error
      }
    }
  }
  const isRight = (/** @type {unknown} */ error) => Object(error).type === 'StripeSignatureVerificationError'
  const stale = () => stripeHeader(body, secondsAgo(3600))
  return [
    { name: 'stripe, forged', prepare: rejected(() => flat(`t=${seconds()},v1=${'0'.repeat(64)}`)), isRight },
    { name: 'stripe, stale', prepare: rejected(stale), isRight },
  ]
}

/** @param {Buffer} body */
export function stripeHeaders(body) {
  return headersWith({ 'stripe-signature': stripeHeader(body, seconds()) })
}

/** @param {Buffer} body @param {string} timestamp */
function stripeHeader(body, timestamp) {
  const signature = createHmac('sha256', SECRET).update(`${timestamp}.`).update(body).digest('hex')
  return flat(`t=${timestamp},v1=${signature}`)
}

/**
 * Its JSON.parse is switched off.
 *
 * @returns {Verifier}
 */
function standardWebhooks() {
  const { Webhook } = requirePackage('standardwebhooks')
  const webhook = new Webhook(Buffer.from(SECRET).toString('base64'))
  return {
    name: 'standardwebhooks',
    version: versionOf('standardwebhooks'),
    received(body) {
      const headers = standardWebhookHeaders(body)
      return () => webhook.verify(body, headers, { jsonParse: false })
    },
    isAcceptance: () => true,
  }
}

/**
 * With its JSON.parse, which cannot be switched off.
 *
 * @returns {Verifier}
 */
function svix() {
  const { Webhook } = requirePackage('svix')
  const webhook = new Webhook(Buffer.from(SECRET).toString('base64'))
  return {
    name: 'svix',
    version: versionOf('svix'),
    received(body) {
      const headers = standardWebhookHeaders(body)
      return () => webhook.verify(body, headers)
    },
    isAcceptance: () => true,
  }
}

/** @param {Buffer} body */
export function standardWebhookHeaders(body) {
  const id = uuid()
  const timestamp = seconds()
  const signature = createHmac('sha256', SECRET).update(`${id}.${timestamp}.`).update(body).digest('base64')
  return headersWith({
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': flat(`v1,${signature}`),
  })
}

/**
 * It takes text, so decoding the bytes is part of its work.
 *
 * @returns {Promise<Verifier>}
 */
async function octokit() {
  const name = '@octokit/webhooks-methods'
  const { verify: verifySignature } = await importPackage(name)
  return {
    name,
    version: versionOf(name),
    received(body) {
      const signature = flat(`sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`)
      return () => verifySignature(SECRET, body.toString('utf8'), signature)
    },
    isAcceptance: (result) => result === true,
  }
}

/** @returns {Verifier} */
function hawk() {
  const Hawk = requirePackage('hawk')
  const credentials = { id: 'sender', key: SECRET, algorithm: 'sha256' }
  return {
    name: 'hawk',
    version: versionOf('hawk'),
    received(body) {
      const { header } = Hawk.client.header('http://hooks.example.com:80/hooks/billing', 'POST', {
        credentials,
        payload: body,
        contentType: 'application/json',
      })
      const headers = headersWith({ authorization: flat(header) })
      const request = { method: 'POST', url: '/hooks/billing', headers }
      return () => Hawk.server.authenticate(request, async () => credentials, { payload: body })
    },
    isAcceptance: () => true,
  }
}

/** @param {string} name */
function versionOf(name) {
  return requirePackage(join(PACKAGES, name, 'package.json')).version
}

export const PEERS = [stripe, standardWebhooks, svix, octokit, hawk]
