import * as mysql from '../../../src/stores/mysql/index.js'
import * as postgres from '../../../src/stores/postgres/index.js'
import * as redis from '../../../src/stores/redis/index.js'
import { setUpsOf } from './set-ups.js'

/** Opens each client, and a store of the source on this client. */
export const connect = setUpsOf({ ...redis, ...postgres, ...mysql })
