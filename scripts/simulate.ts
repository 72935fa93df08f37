import { simulate } from '../test/simulation/world.ts'
import { inWords } from '../test/simulation/in-words.ts'

/**
 * `make simulate SEEDS=1..5000`, or `SEED=17` for one world with its whole story. Ends at the first world in which a rule
 * was broken.
 */
const [first = 1, last = first] = (process.argv[2] ?? '').split('..').map(Number)
if (!Number.isInteger(first) || !Number.isInteger(last)) {
  console.error('say which worlds: a seed such as 17, or a range such as 1..5000')
  process.exit(2)
}
const began = performance.now()
for (let seed = first; seed <= last; seed++) {
  const isOne = first === last
  const result = await simulate({ seed, ...(isOne && { keep: 20_000 }) })
  if (isOne || result.violations.length > 0) console.log(inWords(result))
  if (result.violations.length > 0) process.exit(1)
  if (seed % 100 === 0) console.log(`${seed}: ${Math.round((performance.now() - began) / 1000)} s`)
}
console.log(`${last - first + 1} worlds, no rule was broken`)
