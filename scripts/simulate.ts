import { inWords, trustInWords } from '../test/simulation/in-words.ts'
import { simulateTrust } from '../test/simulation/trust/trust-world.ts'
import { simulate } from '../test/simulation/world.ts'

/**
 * `make simulate SEEDS=1..5000`, or `SEED=17` for one world with its whole story; `trust-1..5000` and `trust-17` for worlds
 * of trust. Ends at the first world in which a rule was broken.
 */
const [, trust, from, to] = /^(trust-)?(\d+)(?:\.\.(\d+))?$/.exec(process.argv[2] ?? '') ?? []
if (from === undefined) {
  console.error('say which worlds: a seed such as 17 or trust-17, or a range such as 1..5000')
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
console.log(`${last - first + 1} worlds, no rule was broken`)

async function run(options: { seed: number; keep?: number }) {
  if (trust !== undefined) {
    const result = await simulateTrust(options)
    return { isBroken: result.violations.length > 0, story: trustInWords(result) }
  }
  const result = await simulate(options)
  return { isBroken: result.violations.length > 0, story: inWords(result) }
}
