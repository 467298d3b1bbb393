import fc from 'fast-check'

/** How often each property runs. The nightly tests set it to 1 000, with another seed each night. */
export const RUNS = Number(process.env['FC_RUNS'] ?? 100)

fc.configureGlobal({ seed: Number(process.env['FC_SEED'] ?? 1), numRuns: RUNS })

export { fc }
