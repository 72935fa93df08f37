import type { Config } from '@machinist/ignition/spec/config'
import { base64Source } from '@machinist/ignition/content'
import { parseAnyVersion } from '@machinist/ignition/convert/parse-any'
import { mergeExplained } from '@machinist/ignition/merge-explained'
import { mergeForNodes } from '@machinist/ignition/merge-for-nodes'
import { merge } from '@machinist/ignition/merge'
import { printTable } from './table.ts'

/**
 * The time to merge the configs of a pool, each with 10 files of 1.5 kB. Merging is linear, so the time for each config is
 * about the same in all lines. `-o json` prints JSON instead of a table.
 */
const sizes = [20, 100, 300, 1000]
const contents = { source: base64Source('x'.repeat(1500)) }
const cases = { 'all distinct': (config: number) => config, 'the same 10': () => 0 }

const rows = Object.entries(cases).flatMap(([paths, setOf]) =>
  sizes.flatMap((configs) =>
    measure(Array.from({ length: configs }, (_, i) => configText(setOf(i)))).map(([what, ms]) => ({
      paths,
      configs,
      what,
      ms: ms.toFixed(2),
      'ms per config': (ms / configs).toFixed(4),
    })),
  ),
)
if (process.argv.slice(2).join(' ') === '-o json') console.log(JSON.stringify(rows, null, 2))
else printTable('merge: configs of 10 files of 1.5 kB', rows)

function measure(texts: readonly string[]): [what: string, ms: number][] {
  const parsed = texts.map(parse)
  return [
    ['parse and merge', bestOf(5, () => merge(texts.map(parse)))],
    ['merge', bestOf(20, () => merge(parsed))],
    ['merge for nodes', bestOf(20, () => mergeForNodes(parsed))],
    ['merge, explained', bestOf(5, () => mergeExplained(parsed))],
  ]
}

function configText(set: number): string {
  const files = Array.from({ length: 10 }, (_, i) => ({
    path: `/etc/set-${set}/file-${i}`,
    mode: 420,
    contents,
  }))
  return JSON.stringify({ ignition: { version: '3.2.0' }, storage: { files } })
}

function parse(text: string): Config {
  const { config } = parseAnyVersion(text)
  if (!config) throw new Error('the benchmark created an invalid config')
  return config
}

function bestOf(times: number, run: () => unknown): number {
  const once = (): number => {
    const start = performance.now()
    run()
    return performance.now() - start
  }
  return Math.min(...Array.from({ length: times }, once))
}
