import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, dirname, join } from 'node:path'
import { PACKAGES, ROOT, sharedInstall } from './packed.js'

/**
 * Starts a registry for npm on a free port. The registry has the packed packages, and every package that the clone has installed.
 *
 * @returns the server, and the registry's address.
 */
export async function startRegistry(): Promise<{ server: Server; url: string }> {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'))
  const folders = Object.keys(packages).filter((path) => path.includes('node_modules/') && !packages[path].link)

  function versionsOf(name: string): { manifest: { name: string; version: string }; tarball: Buffer }[] {
    if (PACKAGES.includes(name)) {
      const manifest = readManifest(join(sharedInstall(), 'node_modules', name))
      return [{ manifest, tarball: readFileSync(join(sharedInstall(), `${name}.tgz`)) }]
    }
    // A version that is installed in two folders would have two tarballs: their folders have different times.
    const paths = folders.filter((path) => path.endsWith(`node_modules/${name}`))
    const byVersion = new Map(paths.map((path) => [packages[path].version, path]))
    return Array.from(byVersion.values(), (path) => ({
      manifest: readManifest(join(ROOT, path)),
      tarball: pack(join(ROOT, path)),
    }))
  }

  const server = createServer((request, response) => {
    const [path = '', version] = decodeURIComponent(String(request.url).slice(1)).split('/-/')
    const found = versionsOf(path)
    if (found.length === 0) return response.writeHead(404).end('{}')
    if (version !== undefined) return response.end(found.find(({ manifest }) => manifest.version === version)?.tarball)
    const versions = found.map(({ manifest, tarball }) => {
      const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`
      return [manifest.version, { ...manifest, dist: { tarball: `${url}${path}/-/${manifest.version}`, integrity } }]
    })
    const latest = found.at(-1)?.manifest.version
    const packument = { name: path, 'dist-tags': { latest }, versions: Object.fromEntries(versions) }
    return response.setHeader('Content-Type', 'application/json').end(JSON.stringify(packument))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  return { server, url }
}

function readManifest(folder: string): { name: string; version: string } {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
}

const packed = new Map<string, Buffer>()

function pack(folder: string): Buffer {
  const tarball =
    packed.get(folder) ??
    execFileSync('tar', ['-cz', '--exclude=./node_modules', '-C', dirname(folder), basename(folder)], {
      maxBuffer: 2 ** 26,
    })
  packed.set(folder, tarball)
  return tarball
}
