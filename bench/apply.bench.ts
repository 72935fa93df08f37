import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '@machinist/core/clock'
import { silentLogger } from '@machinist/core/log'
import { between, seededRandom } from '@machinist/core/random'
import { base64Source, inlineContent } from '@machinist/ignition/content'
import { nodePaths } from '../src/api/node-paths.ts'
import type { MachineConfig } from '../src/api/kinds/resources.ts'
import { Journal } from '../src/daemon/apply/journal/journal.ts'
import { JournaledUpdates } from '../src/daemon/apply/run/journaled-updates.ts'
import { survey } from '../src/daemon/apply/survey/survey.ts'
import type { Update } from '../src/daemon/apply/update.ts'
import type { Disk } from '../src/daemon/host/files/disk.ts'
import { realDisk } from '../src/daemon/host/files/disk.ts'
import type { Host } from '../src/daemon/host/host.ts'
import { openSandbox } from '../src/daemon/host/sandbox/sandbox.ts'
import { osCapabilities } from '../src/planner/model/os-capabilities.ts'
import { plan } from '../src/planner/plan.ts'
import { mergePolicies } from '../src/api/disruption-policy/merge.ts'
import { printTable } from './table.ts'

/**
 * An update of 500 files of 1.5 kB of which 5 differ, on a real disk: written data and time, compared with OpenShift's MCO,
 * which rewrites every file (with the same driver: whole files, flushed), and the share of the journal.
 * `-o json` prints JSON instead of a table.
 */
const files = 500
const differing = 5
const rounds = 5

interface Cost {
  files: number
  bytes: number
  flushes: number
  ms: number
}

const root = await mkdtemp(join(tmpdir(), 'machinist-bench-apply-'))
try {
  const counted = countingDisk()
  const host = await openSandbox({ root, clock: systemClock, disk: counted.disk, plainLinks: true })
  const [one, two] = [machineConfig('one', 0), machineConfig('two', differing)]
  await updatesOf(host).run(updateFrom(machineConfig('none', 0, 0), one), plainRun())
  const costs: Record<string, Cost[]> = {}
  const measure = async (what: string, work: () => Promise<unknown>): Promise<void> => {
    const cost = await counted.during(work)
    ;(costs[what] ??= []).push(cost)
  }
  for (let round = 0; round < rounds; round++) {
    await measure('changed files, with journal', () =>
      updatesOf(host).run(updateFrom(one, two), plainRun()),
    )
    await updatesOf(host).run(updateFrom(two, one), plainRun())
    const intent = await survey(host, updateFrom(one, two))
    const journal = new Journal(host.files)
    await measure('  the journal alone', async () => {
      await journal.begin(intent)
      await journal.end()
    })
    await measure('all files, without journal', () => rewrite(host, one))
  }
  const rows = Object.entries(costs).map(([what, all]) => row(what, all))
  if (process.argv.slice(2).join(' ') === '-o json') console.log(JSON.stringify(rows, null, 2))
  else printTable(`apply: ${files} files of 1.5 kB, ${differing} of them differ`, rows)
} finally {
  await rm(root, { recursive: true, force: true })
}

function row(what: string, all: readonly Cost[]): Record<string, string | number> {
  const best = all.reduce((a, b) => (b.ms < a.ms ? b : a))
  return {
    update: what,
    'files written': best.files,
    'kB written': (best.bytes / 1000).toFixed(1),
    flushes: best.flushes,
    ms: best.ms.toFixed(0),
  }
}

/** Like OpenShift's MCO: writes every file, then the config. */
async function rewrite({ files: disk }: Host, config: MachineConfig): Promise<void> {
  const owner = { uid: 0, gid: 0 }
  for (const { path, contents } of filesOf(config)) {
    await disk.write(path, { content: inlineContent(contents), mode: 0o644, ...owner })
  }
  const content = Buffer.from(JSON.stringify(config))
  await disk.write(nodePaths.currentConfig, { content, mode: 0o600, ...owner })
}

interface BenchFile {
  readonly path: string
  readonly mode: number
  readonly contents: { readonly source: string }
}

function filesOf({ spec }: MachineConfig): readonly BenchFile[] {
  const { storage } = spec!.config as { storage: { files: BenchFile[] } }
  return storage.files
}

function machineConfig(name: string, different: number, count = files): MachineConfig {
  const all = Array.from({ length: count }, (_, i): BenchFile => {
    const seed = i < different ? i + 100_000 : i
    return { path: `/etc/set-${i % 20}/file-${i}`, mode: 0o644, contents: { source: text(seed) } }
  })
  const config = { ignition: { version: '3.5.0' }, storage: { files: all } }
  return {
    apiVersion: 'machineconfiguration.openshift.io/v1',
    kind: 'MachineConfig',
    metadata: { name },
    spec: { config },
  }
}

/** 1.5 kB of settings. */
function text(seed: number): string {
  const random = seededRandom(seed)
  const line = (): string => `setting-${between(random, 0, 1e6)}=${between(random, 0, 1e9)}\n`
  let content = ''
  while (content.length < 1500) content += line()
  return base64Source(content.slice(0, 1500))
}

function updateFrom(current: MachineConfig, desired: MachineConfig): Update {
  const actions = [{ type: 'None' as const }]
  const rules = { policies: mergePolicies({ files: [{ path: '/etc', actions }] }) }
  const facts = {
    os: osCapabilities['rpm-ostree'],
    architecture: 'x86_64',
    forced: false,
    drains: true,
    keysPath: 'authorized_keys.d/ignition',
  } as const
  return { plan: plan({ current, desired, rules, facts }), current, desired }
}

function updatesOf(host: Host): JournaledUpdates {
  return new JournaledUpdates({ host, clock: systemClock, log: silentLogger })
}

function plainRun(): Parameters<JournaledUpdates['run']>[1] {
  return { progress: () => {}, signal: new AbortController().signal }
}

function countingDisk(): { disk: Disk; during(work: () => Promise<unknown>): Promise<Cost> } {
  let cost: Cost = { files: 0, bytes: 0, flushes: 0, ms: 0 }
  const disk: Disk = {
    ...realDisk,
    async open(path, flags, mode) {
      const file = await realDisk.open(path, flags, mode)
      return {
        ...file,
        async write(content) {
          cost.files++
          cost.bytes += content.length
          await file.write(content)
        },
        async sync() {
          cost.flushes++
          await file.sync()
        },
      }
    },
  }
  return {
    disk,
    async during(work) {
      cost = { files: 0, bytes: 0, flushes: 0, ms: 0 }
      const start = performance.now()
      await work()
      return { ...cost, ms: performance.now() - start }
    },
  }
}
