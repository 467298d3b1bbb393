import { execFileSync } from 'node:child_process'
import { chmodSync, readFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { temporaryFolder } from './servers.js'

/**
 * Creates a self-signed certificate for `localhost` and 127.0.0.1.
 *
 * @param owner - the user who runs the server, if the tests run as root. PostgreSQL reads no key that others can read.
 */
export function createCertificate(owner: string): { folder: string; cert: string; key: string; ca: string } {
  const folder = temporaryFolder()
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  const names = 'subjectAltName=DNS:localhost,IP:127.0.0.1'
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  execFileSync('openssl', ['req', ...kind, '-subj', '/CN=localhost', '-addext', names, '-keyout', key, '-out', cert], {
    stdio: 'pipe',
  })
  chmodSync(folder, 0o755)
  chmodSync(key, 0o600)
  if (userInfo().uid === 0) execFileSync('chown', [owner, key])
  return { folder, cert, key, ca: readFileSync(cert, 'utf8') }
}
