export { beginPg, PostgresTransactionStore } from '../../transactions/postgres.js'
export type { SqlTransactionStoreOptions } from '../../transactions/sql-transaction-store.js'
export type { SqlNonceStoreOptions } from '../sql-store.js'
export { PostgresNonceStore } from './store.js'
