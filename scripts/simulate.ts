import { formatResult, formatTrustResult } from '../test/simulation/format-result.ts'
import { simulateTrust } from '../test/simulation/trust/trust-simulation.ts'
import { simulateConfig } from '../test/simulation/config-simulation.ts'

/**
 * `make simulate SEEDS=1..5000`, or `SEED=17` for one simulated cluster with its whole log; `trust-1..5000` and `trust-17` for trust
 * simulations. Stops at the first simulation that violates an invariant.
 */
const [, trust, from, to] = /^(trust-)?(\d+)(?:\.\.(\d+))?$/.exec(process.argv[2] ?? '') ?? []
if (from === undefined) {
  console.error(
    'usage: simulate.ts SEED: a seed such as 17 or trust-17, or a range such as 1..5000',
  )
  process.exit(2)
}
const [first, last] = [Number(from), Number(to ?? from)]
const isOne = first === last
const began = performance.now()
for (let seed = first; seed <= last; seed++) {
  const { isBroken, story } = await run({ seed, ...(isOne && { keep: 20_000 }) })
  if (isOne || isBroken) console.log(story)
  if (isBroken) process.exit(1)
  if (seed % 100 === 0) console.log(`${seed}: ${Math.round((performance.now() - began) / 1000)} s`)
}
console.log(`${last - first + 1} simulations, no invariant violated`)

async function run(options: { seed: number; keep?: number }) {
  if (trust !== undefined) {
    const result = await simulateTrust(options)
    return { isBroken: result.violations.length > 0, story: formatTrustResult(result) }
  }
  const result = await simulateConfig(options)
  return { isBroken: result.violations.length > 0, story: formatResult(result) }
}
