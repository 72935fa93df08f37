import type { ChildProcess } from 'node:child_process'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { isCondition } from '../../src/api/conditions.ts'
import { controllerConfigs, machineConfigPools } from '../../src/api/resources.ts'
import type { KubeClient } from '../../src/kube/client.ts'
import { configMaps } from '../../src/kube/kinds/core.ts'
import { ca } from '../operator/trust/certificates.ts'
import { ChildProcesses, end } from '../support/child-processes.ts'
import { clientFrom } from '../support/real-client.ts'
import { until } from './until.ts'
import {
  applyFile,
  bootIds,
  currentConfig,
  example,
  nodesOf,
  patchConfigMap,
  rendered,
  settled,
  targetOf,
} from './running-cluster.ts'

const machinist = join(import.meta.dirname, '../../bin/machinist')
const directory = mkdtempSync(join(tmpdir(), 'machinist-up-'))
const children = new ChildProcesses(directory)
afterAll(() => children.stop(), 60_000)

const data = join(directory, 'data')
const kubeconfig = join(data, 'kubeconfig')
const argumentsOf = (nodes: string): string[] => [
  'up',
  `--data=${data}`,
  '--speed=40',
  `--nodes=${nodes}`,
]

interface Up {
  readonly child: ChildProcess
  readonly client: KubeClient
  said(): string
}

let started = 0

async function up(nodes: string): Promise<Up> {
  const name = `up-${started++}`
  const child = children.start(name, machinist, argumentsOf(nodes))
  const said = (): string => readFileSync(join(directory, `${name}.log`), 'utf8')
  await until('it says what to try', () => {
    if (child.exitCode !== null) throw new Error(children.logTail(name))
    return said().includes('Try:')
  })
  return { child, client: await clientFrom(kubeconfig), said }
}

const onDisk = (node: string, path: string): string =>
  readFileSync(join(data, 'nodes', node, path), 'utf8')

/** Certificates in the cluster change, and the disks of all nodes follow, without a rollout. */
async function rotate(client: KubeClient, pool: string): Promise<void> {
  const cluster = { client, kubeconfig }
  const key = 'ca-bundle.crt'
  const callers = { namespace: 'openshift-config-managed', name: 'kube-apiserver-client-ca' }
  const names = (await nodesOf(client, pool)).map(({ metadata }) => metadata.name)
  const booted = bootIds(await nodesOf(client, pool))
  const target = await targetOf(client, pool)
  const next = await ca('next')

  const trusted = (await client.get(configMaps, callers)).data![key]!
  await patchConfigMap(cluster, callers, { [key]: trusted + next })
  await until('every node trusts the new callers', () =>
    names.every((name) => onDisk(name, 'etc/kubernetes/kubelet-ca.crt') === trusted + next),
  )

  await patchConfigMap(cluster, callers, { [key]: 'no certificate' })
  await until('the cluster says that this is none', async () => {
    const { status } = await client.get(controllerConfigs, { name: 'machine-config-controller' })
    return isCondition(status?.conditions, 'machinist.dev/InputDegraded.kubelet-client-ca')
  })
  expect(names.map((name) => onDisk(name, 'etc/kubernetes/kubelet-ca.crt'))).toEqual(
    names.map(() => trusted + next),
  )
  await patchConfigMap(cluster, callers, { [key]: next })
  await until('the old callers are no longer trusted', () =>
    names.every((name) => onDisk(name, 'etc/kubernetes/kubelet-ca.crt') === next),
  )
  expect(bootIds(await nodesOf(client, pool))).toEqual(booted)
  expect(await targetOf(client, pool)).toBe(target)
}

describe('machinist up', { timeout: 240_000 }, () => {
  it('goes on where it was after kill -9 in mid-rollout, and after Ctrl-C', async () => {
    const first = await up('1,3')
    await settled(first.client, 'worker', 3)
    const before = await targetOf(first.client, 'worker')
    const booted = bootIds(await nodesOf(first.client, 'worker'))
    const rival = spawnSync(machinist, argumentsOf('1,3'), { encoding: 'utf8' })
    expect(rival.status).toBe(1)
    expect(rival.stderr).toMatch(/^machinist: .*data.*\n$/)

    await applyFile({ client: first.client, kubeconfig }, example('kernel-argument'))
    const after = await rendered(first.client, 'worker', before)
    await until('one is done and another is at it', async () => {
      const workers = await nodesOf(first.client, 'worker')
      const isDone = workers.some((node) => currentConfig(node) === after)
      return isDone && workers.some(({ spec }) => spec?.unschedulable)
    })
    await end(first.child, 'SIGKILL')

    const second = await up('1,3')
    await settled(second.client, 'worker', 3, after)
    const workers = await nodesOf(second.client, 'worker')
    expect(workers.map(currentConfig)).toEqual([after, after, after])
    expect(workers.some(({ spec }) => spec?.unschedulable)).toBe(false)
    expect(bootIds(workers).filter((id) => booted.includes(id))).toEqual([])
    await until('it shows that', () => /pool worker: Updated 3\/3/.test(second.said()))
    await end(second.child, 'SIGINT')
    expect(second.child.exitCode).toBe(0)

    const third = await up('1,4')
    await until('the new node is there', async () => {
      const { status } = await third.client.get(machineConfigPools, { name: 'worker' })
      return status?.updatedMachineCount === 4
    })
    expect(bootIds(await nodesOf(third.client, 'worker')).slice(0, 3)).toEqual(bootIds(workers))
    await rotate(third.client, 'worker')
    await end(third.child, 'SIGTERM')
    expect(third.child.exitCode).toBe(0)

    const fewer = spawnSync(machinist, argumentsOf('1,2'), { encoding: 'utf8' })
    expect(fewer.status).toBe(1)
    expect(fewer.stderr).toContain('holds a cluster of master=1,worker=4')
  })
})
