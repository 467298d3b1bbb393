/** The build writes this module, which has the code of the Worker as text. */
declare module 'worker-source' {
  export const WORKER_SOURCE: string
}
