import type { ChildProcess } from 'node:child_process'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { nodeAnnotations } from '../../../src/api/annotations.ts'
import { machineConfigs } from '../../../src/api/resources.ts'
import { nodes } from '../../../src/kube/kinds/core.ts'
import { mergePatch } from '../../../src/kube/patch.ts'
import { ChildProcesses, end } from '../../support/child-processes.ts'
import { until } from '../../support/until.ts'
import { config } from '../follow/facts.ts'
import type { Api } from './api.ts'
import { startApi } from './api.ts'

const machinist = join(import.meta.dirname, '../../../bin/machinist')

let api: Api
let children: ChildProcesses
let directory: string
beforeAll(async () => {
  api = await startApi()
  directory = mkdtempSync(join(tmpdir(), 'machinist-processes-'))
  children = new ChildProcesses(directory)
}, 60_000)
afterAll(async () => {
  await children.stop()
  await api.stop()
}, 60_000)

const argumentsFor = (node: string): string[] => [
  'daemon',
  `--node=${node}`,
  `--kubeconfig=${api.kubeconfig}`,
  '--host=sandbox',
  `--root=${join(directory, `${node}-root`)}`,
  '--rules=4.16',
]

async function started(node: string, ...more: readonly string[]): Promise<ChildProcess> {
  const log = join(directory, `${node}.log`)
  const before = existsSync(log) ? readFileSync(log, 'utf8').length : 0
  const child = children.start(node, machinist, [...argumentsFor(node), ...more])
  await until('the daemon is ready', () => {
    if (child.exitCode !== null) throw new Error(`it ended: ${children.logTail(node)}`)
    return readFileSync(log, 'utf8').slice(before).includes(`ready: following node ${node}`)
  })
  return child
}

async function create(node: string, desired: string): Promise<void> {
  const annotations = {
    [nodeAnnotations.desiredConfig]: desired,
    [nodeAnnotations.controlPlaneTopology]: 'SingleReplica',
  }
  await api.client.create(nodes, { metadata: { name: node, annotations } })
}

async function desire(node: string, name: string): Promise<void> {
  const annotations = { [nodeAnnotations.desiredConfig]: name }
  await api.client.patch(nodes, { name: node }, mergePatch({ metadata: { annotations } }))
}

async function isDone(node: string, name: string): Promise<boolean> {
  const { metadata } = await api.client.get(nodes, { name: node })
  const said = metadata.annotations ?? {}
  return said[nodeAnnotations.currentConfig] === name && said[nodeAnnotations.state] === 'Done'
}

const onDisk = (node: string, path: string): string =>
  readFileSync(join(directory, `${node}-root`, path), 'utf8')

// Whole processes on a machine that others use, too.
describe('machinist daemon', { timeout: 120_000 }, () => {
  it('goes through a reboot of its sandbox, serves metrics, is alone, and ends well', async () => {
    await api.client.create(machineConfigs, config('process-1'))
    await create('lonely', 'process-1')
    const child = await started('lonely', '--metrics', '127.0.0.1:0')
    await until('it is Done', () => isDone('lonely', 'process-1'))
    expect(onDisk('lonely', 'etc/motd')).toBe('process-1')
    expect(onDisk('lonely', 'var/log/machinist-sandbox.log')).toMatch(/ reboot: .*\n.* boot /)
    const url = /metrics at (\S+)/.exec(readFileSync(join(directory, 'lonely.log'), 'utf8'))?.[1]
    expect(await (await fetch(url!)).text()).toContain('mcd_state{state="Done",reason=""}')
    const second = spawnSync(machinist, argumentsFor('lonely'), { encoding: 'utf8' })
    expect(second.status).toBe(1)
    expect(second.stderr).toMatch(/another daemon works on .*lonely-root already: end it first/)
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
  })

  it('that is killed in mid-update brings it to its end', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 150 }, (_, at) => [`/etc/many/file-${at}`, `content ${at}`]),
    )
    await api.client.create(machineConfigs, config('process-2'))
    await api.client.create(machineConfigs, config('process-3', many))
    await create('killed', 'process-2')
    const child = await started('killed')
    await until('it is Done', () => isDone('killed', 'process-2'))
    await desire('killed', 'process-3')
    const written = join(directory, 'killed-root/etc/many')
    await until(
      'some files are there',
      () => existsSync(written) && readdirSync(written).length > 3,
    )
    await end(child, 'SIGKILL')
    const again = await started('killed')
    await until('it is Done', () => isDone('killed', 'process-3'))
    expect(onDisk('killed', 'etc/many/file-149')).toBe('content 149')
    expect(readdirSync(written)).toHaveLength(150)
    await end(again, 'SIGTERM')
  })

  it('completes a first boot', () => {
    const root = join(directory, 'first')
    const ran = spawnSync(
      machinist,
      ['daemon', 'first-boot', '--host', 'sandbox', '--root', root],
      {
        encoding: 'utf8',
      },
    )
    expect(ran).toMatchObject({ status: 0, stdout: 'first boot: nothing to do\n' })
  })

  it.each([
    [['daemon'], /say which Node this machine is/, 2],
    [['daemon', '--node', 'x', '--host', 'sandbox'], /say where the sandbox is/, 2],
    [['daemon', '--node', 'x', '--drift', 'ignore'], /Say one of report, heal, block\./, 2],
    [['daemon', '--node', 'x', '--rules', '5'], /Say one of 4\.12, 4\.16, policy\./, 2],
    [['daemon', 'first-boot', '--host', 'sandbox'], /say where the sandbox is/, 2],
  ])('says what is wrong with %j', (args, message, status) => {
    const { NODE_NAME: _, ...env } = process.env
    const ran = spawnSync(machinist, args, { encoding: 'utf8', env })
    expect(ran.stderr).toMatch(message)
    expect(ran.status).toBe(status)
  })

  it('ends with a clear word where there is no cluster', () => {
    const root = join(directory, 'nowhere')
    const args = ['daemon', '--node', 'x', '--host', 'sandbox', '--root', root]
    const ran = spawnSync(machinist, [...args, '--kubeconfig', '/nowhere'], { encoding: 'utf8' })
    expect(ran.stderr).toBe('machinist: there is no kubeconfig at /nowhere: check the path\n')
    expect(ran.status).toBe(1)
  })
})
