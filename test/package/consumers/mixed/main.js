// A project in ES modules whose stores are in CommonJS: two copies of each class, one `code`.
import { NonceStoreError, sign, verify } from 'inbound-webhook-auth'
import { full, misconfigured, unreachable } from './stores.cjs'

const request = { webhookId: '42', headers: sign('a body', 'a secret'), body: 'a body' }

/** @param {import('inbound-webhook-auth').NonceStore} nonceStore */
async function failureOf(nonceStore) {
  return verify(request, 'a secret', nonceStore).then(undefined, (error) => error)
}

async function main() {
  const [bounded, down] = [await failureOf(full()), await failureOf(unreachable())]
  console.log(bounded instanceof NonceStoreError, bounded.code, bounded.cause.code)
  console.log(down.code, misconfigured())
}

main()
