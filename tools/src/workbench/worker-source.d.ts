/** The build writes this module, which contains the code of the Worker as a string. */
declare module 'worker-source' {
  export const WORKER_SOURCE: string
}
