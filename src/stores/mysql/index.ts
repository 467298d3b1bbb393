export { beginMysql2, MySqlTransactionStore } from '../../transactions/mysql.js'
export type { SqlTransactionStoreOptions } from '../../transactions/sql-transaction-store.js'
export type { SqlNonceStoreOptions } from '../sql-store.js'
export { MySqlNonceStore } from './store.js'
