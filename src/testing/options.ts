import type { NonceStore } from '../stores/nonce-store.js'

/** What the contract cannot know by itself. */
export interface NonceStoreContractOptions {
  /** Makes a store whose backend is down. With it the contract also checks that the store then fails, and soon. */
  createUnreachableStore?: (() => NonceStore | Promise<NonceStore>) | undefined
  /**
   * Lets so many milliseconds pass; real ones by default. For a store on a clock of its own, move that clock: the contract
   * then also checks the last instant of a reservation.
   */
  wait?: ((milliseconds: number) => void | Promise<void>) | undefined
}
