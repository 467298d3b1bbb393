import { readdirSync } from 'node:fs'
import { join, posix } from 'node:path'
import { entriesOf, PACKAGES } from '../../support/packed.js'

/**
 * Returns a configuration for `workerd test` that has the files of the installed package as modules, by import name. workerd
 * does not read node_modules. So this resolves the imports as a bundler does, but changes no byte.
 *
 * @param {string} folder - the folder of worker.mjs, in which the package is installed.
 * @param {string} compatibilityDate - selects the behaviour of workerd.
 */
export function workerdConfig(folder, compatibilityDate) {
  // A Worker has no file system for SQLite.
  const all = PACKAGES.flatMap((name) => [...entriesOf(folder, name)])
  const entries = new Map(all.filter(([name]) => !name.endsWith('/sqlite')))
  const modules = ['(name = "worker.mjs", esModule = embed "worker.mjs")']
  for (const name of PACKAGES) {
    const dist = `node_modules/${name}/dist`
    for (const file of readdirSync(join(folder, dist)).filter((name) => /^(?!sqlite|cli).*\.js$/.test(name))) {
      modules.push(`(name = "${name}/dist/${file}", esModule = embed "${dist}/${file}")`)
    }
  }
  for (const [name, targets] of entries) {
    const file = posix.relative(posix.dirname(name), posix.join(name.replace(/\/.*/, ''), targets.import.default))
    modules.push(`(name = "${name}", esModule = "export * from './${file}'")`)
  }
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [(name = "main", worker = .worker)]);
const worker :Workerd.Worker = (
  modules = [${modules.join(', ')}],
  bindings = [(name = "NAMES", json = ${JSON.stringify(JSON.stringify([...entries.keys()]))})],
  compatibilityDate = "${compatibilityDate}",
  compatibilityFlags = ["nodejs_compat"],
);
`
}
