import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Sweeper } from '../../src/stores/sweeper.js'
import { SimulatedTime } from '../support/simulated-time.js'

let time: SimulatedTime
beforeEach(() => {
  time = new SimulatedTime()
  time.start()
})
afterEach(() => {
  time.stop()
  vi.restoreAllMocks()
})

/** A sweeper on a table with these numbers of rows to delete, one per sweep. */
function open(random: number, ...rows: number[]) {
  vi.spyOn(Math, 'random').mockReturnValue(random)
  const sweeper = new Sweeper()
  /** The number of reservations before each sweep. */
  const sweeps: number[] = []
  let reservations = 0
  let sweep: () => Promise<number> | undefined = async () => rows[sweeps.length] ?? 0
  async function reserve(times: number): Promise<number[]> {
    for (let index = 0; index < times; index++) {
      reservations++
      sweeper.noteReservation(() => {
        const sweeping = sweep()
        if (sweeping !== undefined) sweeps.push(reservations)
        return sweeping
      })
      await time.pass(0)
    }
    return sweeps
  }
  return {
    reserve,
    setSweep(next: typeof sweep) {
      sweep = next
    },
  }
}

describe('the first sweep comes after the reservation', () => {
  it.each([
    [0, 64],
    [0.5, 32],
    [63 / 64, 1],
  ])('with the random number %d: number %d', async (random, first) => {
    expect(await open(random).reserve(first)).toEqual([first])
    expect(await open(random).reserve(first - 1)).toEqual([])
  })

  it('at which a short process arrives by chance, in one of 64 processes with one reservation each', async () => {
    let sweeps = 0
    for (let index = 0; index < 64; index++) sweeps += (await open(index / 64).reserve(1)).length
    expect(sweeps).toBe(1)
  })
})

it('every 64th reservation sweeps while a sweep deletes at least 128 rows, and then every 256th', async () => {
  const { reserve } = open(0, 256, 128, 127, 256, 0)
  expect(await reserve(1000)).toEqual([64, 128, 192, 448, 512, 768])
})

it('a sweep that failed is tried again after 64 reservations, in silence', async () => {
  const { reserve, setSweep } = open(0)
  setSweep(() => Promise.reject(new Error('connection lost')))
  expect(await reserve(130)).toEqual([64, 128])
})

it('is not sent while anything waits, and is tried at the next reservation', async () => {
  const { reserve, setSweep } = open(0)
  setSweep(() => undefined)
  expect(await reserve(70)).toEqual([])
  setSweep(async () => 256)
  expect(await reserve(100)).toEqual([71, 135])
})

it('is in flight once, and at most 60 s if its client has lost it', async () => {
  const { reserve, setSweep } = open(0)
  setSweep(() => new Promise(() => {}))
  expect(await reserve(500)).toEqual([64])
  expect(time.refs).toBe(0)
  await time.pass(59_999)
  expect(await reserve(1)).toEqual([64])
  await time.pass(1)
  expect(await reserve(1)).toEqual([64, 502])
})

it('leaves no timer', async () => {
  const { reserve } = open(0, 256, 0)
  await reserve(200)
  expect(time.timers).toBe(0)
})
