import { existsSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ChildProcesses } from '@machinist/testing/processes/child-processes'
import { until } from '@machinist/testing/until'
import { installKinds } from '../../../../src/process/install-kinds.ts'
import { config, quietFile } from '../follow/facts.ts'
import type { Reached } from './api.ts'
import { clientOf } from './api.ts'
import { Machine } from './machine.ts'

const machinist = join(import.meta.dirname, '../../../../bin/machinist')
/** Large enough to detect one kept config per update or per verification. */
const contentBytes = 500_000
const configs = ['x', 'y'].map((letter) =>
  config(`growth-${letter}`, { [quietFile]: letter.repeat(contentBytes) }),
)

let children: ChildProcesses
let api: Reached
// In a separate process, because the API server keeps a history.
beforeAll(async () => {
  const directory = mkdtempSync(join(tmpdir(), 'machinist-growth-'))
  children = new ChildProcesses(directory)
  children.start('api', machinist, ['apiserver', '--data=data', '--listen=127.0.0.1:0'])
  const log = join(directory, 'api.log')
  await until(
    'the API is ready',
    () => existsSync(log) && readFileSync(log, 'utf8').includes('ready: '),
  )
  const kubeconfig = join(directory, 'data/kubeconfig')
  await installKinds(kubeconfig)
  api = await clientOf(kubeconfig)
})
afterAll(async () => {
  api.close()
  await children.stop()
})

describe('the memory of the daemon', { timeout: 120_000 }, () => {
  it('does not grow with the number of updates and verifications', async () => {
    const node = new Machine(api.client, 'growing')
    await node.joined(configs[0]!, { topology: 'SingleReplica' })
    const looks = countVerifications(node)
    await node.make(configs[0]!)
    node.start()
    await node.untilDone('growth-x')
    await work(node, looks, 1)
    const before = await neededMegabytes()
    await work(node, looks, 4)
    // One config kept per update would be 4.
    expect((await neededMegabytes()) - before).toBeLessThan(2.5)
    await node.stop()
  })
})

async function work(node: Machine, looks: () => number, times: number): Promise<void> {
  for (let time = 0; time < times; time++) {
    for (const config of configs.toReversed()) {
      await node.desire(config)
      await node.untilDone(config.metadata.name)
    }
    const before = looks()
    await node.until('the disk was verified', () => looks() > before, 60_000)
  }
}

function countVerifications({ host: { files } }: Machine): () => number {
  let count = 0
  const read = files.read.bind(files)
  files.read = (path, limit) => {
    if (path === quietFile) count++
    return read(path, limit)
  }
  return () => count
}

/** The minimum of several measurements: work in progress during one of them is garbage at the next. */
async function neededMegabytes(): Promise<number> {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  let least = Infinity
  for (let look = 0; look < 5; look++) {
    collect()
    const { heapUsed, arrayBuffers } = process.memoryUsage()
    least = Math.min(least, (heapUsed + arrayBuffers) / 1e6)
    await pause(20)
  }
  return least
}
