/** The bundled Worker as text. The build makes this module. */
declare module 'worker-source' {
  export const WORKER_SOURCE: string
}
