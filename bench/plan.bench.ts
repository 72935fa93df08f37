import { base64Source } from '@machinist/ignition/content'
import type { MachineConfig } from '../src/api/kinds/resources.ts'
import { osCapabilities } from '../src/planner/model/os-capabilities.ts'
import { plan } from '../src/planner/plan.ts'
import { mergePolicies } from '../src/api/disruption-policy/merge.ts'
import type { NodeFacts } from '../src/planner/model/update-plan.ts'
import { printTable } from './table.ts'

/**
 * The time to plan an update between two configs with files of 1.5 kB of which five differ: parse, compare, decide. In the
 * second line of each size every file has another encoding, so that all files must be decoded.
 * `-o json` prints JSON instead of a table.
 */
const facts: NodeFacts = {
  os: osCapabilities['rpm-ostree'],
  architecture: 'x64',
  forced: false,
  drains: true,
  keysPath: 'authorized_keys.d/ignition',
}
const rules = { policies: mergePolicies() }
const text = 'x'.repeat(1500)

const rows = [1000, 10_000].flatMap((files) =>
  [
    { encoding: 'the same', source: base64Source },
    { encoding: 'another', source: (content: string) => `data:,${content}` },
  ].map(({ encoding, source }) => {
    const current = machineConfig('old', files, (i) => base64Source(`${text}${i}`))
    const desired = machineConfig('new', files, (i) => source(`${text}${i < 5 ? 'new' : i}`))
    const run = (): number => plan({ current, desired, rules, facts }).changes.length
    if (run() !== 5) throw new Error('the benchmark created configs with unexpected differences')
    const ms = bestOf(5, run)
    return { files, encoding, ms: ms.toFixed(1), 'µs per file': ((ms * 1000) / files).toFixed(1) }
  }),
)
if (process.argv.slice(2).join(' ') === '-o json') console.log(JSON.stringify(rows, null, 2))
else printTable('plan: files of 1.5 kB, 5 of them differ', rows)

function machineConfig(
  name: string,
  count: number,
  sourceOf: (index: number) => string,
): MachineConfig {
  const files = Array.from({ length: count }, (_, i) => ({
    path: `/etc/set-${i % 100}/file-${i}`,
    mode: 420,
    contents: { source: sourceOf(i) },
  }))
  return {
    metadata: { name },
    spec: { config: { ignition: { version: '3.5.0' }, storage: { files } } },
  }
}

function bestOf(times: number, run: () => unknown): number {
  const once = (): number => {
    const start = performance.now()
    run()
    return performance.now() - start
  }
  return Math.min(...Array.from({ length: times }, once))
}
