import { chmodSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { freePort, LocalServer, type PostgresServer } from '../../support/servers.js'

/** PgBouncer in transaction mode, with two connections to a PostgreSQL server. */
export class PgBouncer extends LocalServer {
  static async start(server: PostgresServer): Promise<PgBouncer> {
    const bouncer = new PgBouncer(await freePort())
    chmodSync(bouncer.folder, 0o777)
    const settings = join(bouncer.folder, 'pgbouncer.ini')
    writeFileSync(join(bouncer.folder, 'users.txt'), '"test" ""\n')
    writeFileSync(
      settings,
      `[databases]
postgres = host=127.0.0.1 port=${server.port} dbname=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${bouncer.port}
auth_type = trust
auth_file = ${join(bouncer.folder, 'users.txt')}
pool_mode = transaction
default_pool_size = 2
max_client_conn = 200
server_login_retry = 1
`,
    )
    const user = userInfo().uid === 0 ? ['-u', 'postgres'] : []
    bouncer.launch('pgbouncer', [...user, settings])
    await bouncer.untilItListens()
    return bouncer
  }

  get url(): string {
    return `postgres://test@127.0.0.1:${this.port}/postgres`
  }
}
