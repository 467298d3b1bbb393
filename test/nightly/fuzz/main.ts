import { parseArgs } from 'node:util'
import { drawCase } from './cases.js'
import { Choices, randomFrom } from './choices.js'
import { compare, minimise, type Tally } from './compare.js'

// Usage: `npm run test:nightly fuzz -- --minutes 1`, `--requests 10000000` or `--seed 7`. To repeat one case: `--replay
// 1,0,7`.

const { values } = parseArgs({
  options: {
    minutes: { type: 'string' },
    requests: { type: 'string' },
    seed: { type: 'string' },
    replay: { type: 'string' },
  },
})

if (values.replay !== undefined) await report(values.replay.split(',').map(Number))
else await run()

async function run(): Promise<void> {
  const seed = Number(values.seed ?? Date.now())
  const limit = Number(values.requests ?? Number.POSITIVE_INFINITY)
  const minutes = Number(values.minutes ?? (values.requests === undefined ? 10 : Number.POSITIVE_INFINITY))
  if (![seed, limit, minutes].every((number) => number >= 0))
    throw new Error('--seed, --requests and --minutes are numbers.')
  console.log(`seed ${seed}`)

  const random = randomFrom(seed)
  const tally: Tally = new Map()
  const end = Date.now() + minutes * 60_000
  let [cases, requests] = [0, 0]
  for (; requests < limit && (cases % 64 > 0 || Date.now() < end); cases++) {
    const choices = new Choices(random)
    const drawn = drawCase(choices)
    requests += drawn.steps.length
    if ((await compare(drawn, tally)) !== undefined) {
      console.log(`case ${cases} of seed ${seed}: the library and the oracle disagree. Looking for a smaller case.`)
      await report(await minimise(choices.taken))
      process.exitCode = 1
      return
    }
  }
  console.log(`${requests} requests in ${cases} cases, and no disagreement`)
  for (const [result, count] of [...tally].sort((one, other) => other[1] - one[1])) console.log(`${count}\t${result}`)
}

async function report(numbers: readonly number[]): Promise<void> {
  const drawn = drawCase(Choices.of(numbers))
  console.dir(drawn, { depth: null, maxStringLength: 300 })
  const disagreement = await compare(drawn)
  if (disagreement === undefined) console.log('no disagreement')
  else console.log(disagreement)
  console.log(`npm run test:nightly fuzz -- --replay ${numbers.join(',') || '0'}`)
}
