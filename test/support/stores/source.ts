import * as mysql from '../../../src/stores/mysql/index.js'
import * as postgres from '../../../src/stores/postgres/index.js'
import * as redis from '../../../src/stores/redis/index.js'
import { setUpsOf } from './set-ups.js'

/** Connects each client with the connect functions of the source. */
export const connect = setUpsOf({ ...redis, ...postgres, ...mysql })
