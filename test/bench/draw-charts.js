// Draws docs/benchmarks.svg, docs/overload.svg and docs/scale.svg again from the figures that are stored beside them. It measures nothing.
import { readFileSync, writeFileSync } from 'node:fs'
import { barChart } from './bar-chart.js'
import { lineChart, overloadChart } from './line-chart.js'

const DOCS = new URL('../../docs/', import.meta.url)

for (const [name, draw] of /** @type {const} */ ([
  ['benchmarks', barChart],
  ['overload', overloadChart],
  ['scale', lineChart],
])) {
  const runs = JSON.parse(readFileSync(new URL(`${name}.json`, DOCS), 'utf8'))
  writeFileSync(new URL(`${name}.svg`, DOCS), draw(runs))
}
