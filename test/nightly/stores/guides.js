// Opens the store of a file of docs/stores, in any process: the file as it is, with another address in it.
import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { transform } from 'esbuild'
import { ROOT } from '../../support/packed.js'
import { BUILD } from '../packages/packages.js'

/**
 * @param {string} file - a file of docs/stores, such as `pg.ts`.
 * @param {any} address - a URL, the URLs of a cluster's nodes, the name and the sentinels of a master, or the configuration of the AWS SDK.
 * @param {Record<string, string>} [edits] - what to replace in the file, such as other packages.
 * @returns {Promise<import('./connect.js').Connected>}
 */
export async function openGuide(file, address, edits = {}) {
  let source = withAddress(readFileSync(join(ROOT, 'docs/stores', file), 'utf8'), address)
  for (const [from, to] of Object.entries(edits)) source = replaced(source, from, to)
  const clients = [...source.matchAll(/^const (client|second|pool|sql) = /gm)].map(([, name]) => name)
  const { code } = await transform(`${source}\nexport const clients = [${clients}]`, { loader: 'ts' })

  const folder = join(BUILD, randomUUID())
  mkdirSync(join(folder, 'node_modules'), { recursive: true })
  symlinkSync(ROOT, join(folder, 'node_modules/inbound-webhook-auth'), 'junction')
  writeFileSync(join(folder, 'main.mjs'), code)
  try {
    const { nonceStore, clients } = await import(join(folder, 'main.mjs'))
    return { nonceStore, close: () => Promise.all(clients.map(closeClient)) }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** @param {any} client */
function closeClient(client) {
  // In redis 5, `destroy` throws if the client is not open, as the client of the service in redis-shared.ts.
  if (client.destroy) return client.isOpen === false ? undefined : client.destroy()
  if (client.disconnect) return client.disconnect()
  return client.end()
}

/** @param {string} source @param {any} address */
function withAddress(source, address) {
  if (Array.isArray(address)) {
    const [first, second] = address
    return replaced(
      replaced(source, 'redis://node-1.example.com:6379', first),
      'redis://node-2.example.com:6379',
      second,
    )
  }
  if (address.sentinels) {
    const [{ host, port }] = address.sentinels
    return replaced(source, "host: 'sentinel-1.example.com', port: 26379", `host: '${host}', port: ${port}`)
  }
  if (address.region) {
    const { endpoint, region, credentials } = address
    process.env['AWS_ENDPOINT_URL'] = endpoint
    process.env['AWS_REGION'] = region
    process.env['AWS_ACCESS_KEY_ID'] = credentials.accessKeyId
    process.env['AWS_SECRET_ACCESS_KEY'] = credentials.secretAccessKey
    const wrapper = join(ROOT, 'test/nightly/stores/returning-items.js')
    const client = source.replace(/new DynamoDBClient\(.*\)/, 'returningItems($&)')
    return `import { returningItems } from '${wrapper}'\n${client}`
  }
  if (source.includes("host: 'db.example.com'")) {
    const { hostname, port, username, pathname } = new URL(address)
    const server = `host: '${hostname}', port: ${port}, user: '${username}', database: '${pathname.slice(1)}'`
    return replaced(source, "host: 'db.example.com', port: 3306, user: 'hooks', database: 'hooks'", server)
  }
  const [example = ''] = /(redis|postgres|mysql):\/\/[a-z@.:/0-9]+/.exec(source) ?? []
  return replaced(source, example, address)
}

/** @param {string} text @param {string} from @param {string} to */
function replaced(text, from, to) {
  if (from === '' || !text.includes(from)) throw new Error(`The file does not contain ${from || 'an address'}.`)
  return text.replace(from, () => to)
}
