import { afterAll, beforeAll, expect, it } from 'vitest'
import { SimulatedTime } from '../../../../test/support/simulated-time.js'
import { type CheckedCase, explainFailures } from '../../../src/cli/check/root-causes.js'
import { type EndpointCaseCode, ROWS } from '../../../src/testing/endpoint/rows.js'
import { endpointContract } from '../../../src/testing/index.js'
import { COMMON_MISTAKES, Receiver } from '../../testing/receivers/receiver.js'
import { postDirectly } from '../../testing/receivers/serve.js'

const SECRET = 'cKsQ_EJbrw_SreUQ0LA3YsYy0sSp_1Fgkp-_M282FlE'

const time = new SimulatedTime()
beforeAll(() => time.start())
afterAll(() => time.stop())

const CODES = endpointContract({ post: postDirectly(new Receiver(SECRET)), secret: SECRET }).map(({ code }) => code)

function accepted(code: EndpointCaseCode): CheckedCase {
  return {
    code,
    expected: 'rejected',
    result: { ok: false, statuses: [200], fault: 'accepted', ...ROWS['x-signature'][code] },
  }
}

async function runAll(receiver: Receiver): Promise<CheckedCase[]> {
  const checked: CheckedCase[] = []
  for (const { code, expected, check } of endpointContract({ post: postDirectly(receiver), secret: SECRET })) {
    checked.push({ code, expected, result: await time.until(check()) })
  }
  return checked
}

it.each(COMMON_MISTAKES)('one mistake has one cause: $name', async ({ fails, says, apply }) => {
  const receiver = new Receiver(SECRET)
  const causes = explainFailures(await runAll(Object.assign(receiver, apply(receiver))))
  expect(causes).toMatchObject([{ cause: expect.stringMatching(says), fix: expect.stringMatching(/\.$/) }])
  expect(causes[0]?.codes).toEqual(expect.arrayContaining([...fails]))
})

it.each<[string, EndpointCaseCode[]]>([
  ['replays, but not of the same request', ['replay-other-body', 'replay-copies']],
  ['wrong signatures, but no changed body', CODES.filter((code) => /^signature-|^body-[^c]/.test(code))],
  ['all but another secret', CODES.filter((code) => !/^accepted-|^answers-|^signature-other/.test(code))],
])('do not have one cause: %s', (_, codes) => {
  const causes = explainFailures(codes.map(accepted))
  expect(causes.flatMap(({ codes }) => codes).toSorted()).toEqual(codes.toSorted())
  expect(causes.length).toBeGreaterThan(1)
})

it('two mistakes have two causes, and what hides other results comes first', async () => {
  const isEqual = (received: string, right: string) => received.toLowerCase() === right
  let requests = 0
  const before = () => (++requests === 60 ? { status: 503 } : undefined)
  const causes = explainFailures(await runAll(Object.assign(new Receiver(SECRET), { isEqual, before })))
  expect(causes).toMatchObject([{ cause: expect.stringContaining('502, 503 or 504') }, { codes: ['signature-form'] }])
})
