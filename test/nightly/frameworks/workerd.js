// Serves a bundled Worker with the settings of wrangler.json, on the port in `PORT`. Arguments: the bundle, the configuration.
import { readFileSync } from 'node:fs'
import { requirePackage } from '../packages/packages.js'

const [bundle = '', configuration = ''] = process.argv.slice(2)
const { compatibility_date, compatibility_flags, durable_objects } = JSON.parse(readFileSync(configuration, 'utf8'))
const { Log, LogLevel, Miniflare } = requirePackage('miniflare')

/** @type {[string, { className: string, useSQLite: boolean }][]} */
const durableObjects = durable_objects.bindings.map(
  (/** @type {{ name: string, class_name: string }} */ { name, class_name }) => [
    name,
    { className: class_name, useSQLite: true },
  ],
)
const miniflare = new Miniflare({
  host: '127.0.0.1',
  port: Number(process.env['PORT']),
  modules: true,
  scriptPath: bundle,
  compatibilityDate: compatibility_date,
  compatibilityFlags: compatibility_flags,
  durableObjects: Object.fromEntries(durableObjects),
  bindings: {
    WEBHOOK_SECRET: process.env['WEBHOOK_SECRET'] ?? '',
    STORE: process.env['STORE'] ?? '',
    BODY_TIMEOUT: process.env['BODY_TIMEOUT'] ?? '',
  },
  // The Worker may not fetch anything.
  cf: false,
  log: new Log(LogLevel.WARN),
})
await miniflare.ready
