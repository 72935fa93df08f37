import type { ChildProcess } from 'node:child_process'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { nodes } from '@machinist/kube/kinds/core'
import { coreEvents } from '@machinist/kube/kinds/events'
import { mergePatch } from '@machinist/kube/patch'
import { ChildProcesses, end } from '@machinist/testing/processes/child-processes'
import { until } from '@machinist/testing/until'
import { nodeAnnotations } from '../../../../src/api/annotations.ts'
import { machineConfigs } from '../../../../src/api/kinds/resources.ts'
import { config } from '../../../integration/daemon/follow/facts.ts'
import type { Api } from '../../../integration/daemon/cluster/api.ts'
import { startApi } from '../../../integration/daemon/cluster/api.ts'

const machinist = join(import.meta.dirname, '../../../../bin/machinist')

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
  const annotations = metadata.annotations ?? {}
  return (
    annotations[nodeAnnotations.currentConfig] === name &&
    annotations[nodeAnnotations.state] === 'Done'
  )
}

const onDisk = (node: string, path: string): string =>
  readFileSync(join(directory, `${node}-root`, path), 'utf8')

/** The peak resident memory of the process. */
function peakMegabytes({ pid }: ChildProcess): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024
}

// Real processes on a shared machine need time.
describe('machinist daemon', { timeout: 120_000 }, () => {
  it('reboots its sandbox, serves metrics, refuses a second daemon, and exits with 0', async () => {
    await api.client.create(machineConfigs, config('process-1'))
    await create('lonely', 'process-1')
    const kubelet = ['--kubelet-health', 'http://127.0.0.1:9/healthz']
    const own = ['--node-kubeconfig', api.kubeconfig]
    const child = await started('lonely', '--metrics', '127.0.0.1:0', ...kubelet, ...own)
    await until('it is Done', () => isDone('lonely', 'process-1'))
    expect(onDisk('lonely', 'etc/motd')).toBe('process-1')
    expect(onDisk('lonely', 'var/log/machinist-sandbox.log')).toMatch(/ reboot: .*\n.* boot /)
    const url = /metrics at (\S+)/.exec(readFileSync(join(directory, 'lonely.log'), 'utf8'))?.[1]
    const numbers = await (await fetch(url!)).text()
    expect(numbers).toContain('mcd_state{state="Done",reason=""}')
    expect(numbers).toMatch(/^mcd_kubelet_state \d+$/m)
    // 40 kB that decompress to 40 MB are refused without using that memory.
    const source = `data:;base64,${gzipSync(Buffer.alloc(40 << 20)).toString('base64')}`
    const bomb = { path: '/etc/a', contents: { source, compression: 'gzip' } }
    const made = config('bomb')
    const ignition = { ignition: { version: '3.4.0' }, storage: { files: [bomb] } }
    await api.client.create(machineConfigs, { ...made, spec: { config: ignition } })
    await desire('lonely', 'bomb')
    await until('it is refused', async () => {
      const { metadata } = await api.client.get(nodes, { name: 'lonely' })
      return metadata.annotations?.[nodeAnnotations.state] === 'Unreconcilable'
    })
    expect(peakMegabytes(child)).toBeLessThan(400)
    const second = spawnSync(machinist, argumentsFor('lonely'), { encoding: 'utf8' })
    expect(second.status).toBe(1)
    expect(second.stderr).toMatch(/another daemon already works on .*lonely-root: stop it first/)
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
  })

  it.each([
    // A killed daemon reports nothing, and may leave a temporary file.
    ['killed', 'SIGKILL', [null, 'SIGKILL'], /./, undefined],
    [
      'parked',
      'SIGTERM',
      [0, null],
      /^file-\d+$/,
      'The update to parked-3 is parked and continues when the daemon is back',
    ],
  ] as const)('completes an update after it was %s', async (node, signal, how, names, message) => {
    const many = Object.fromEntries(
      Array.from({ length: 250 }, (_, at) => [`/etc/many/file-${at}`, `content ${at}`]),
    )
    await api.client.create(machineConfigs, config(`${node}-2`))
    await api.client.create(machineConfigs, config(`${node}-3`, many))
    await create(node, `${node}-2`)
    const child = await started(node)
    await until('it is Done', () => isDone(node, `${node}-2`))
    await desire(node, `${node}-3`)
    const written = join(directory, `${node}-root/etc/many`)
    await until(
      'some files are there',
      () => existsSync(written) && readdirSync(written).length > 0,
    )
    const ended = once(child, 'exit')
    child.kill(signal)
    expect(await ended).toEqual(how)
    const left = readdirSync(written)
    expect(left.length).toBeLessThan(250)
    expect(left.filter((name) => !names.test(name))).toEqual([])
    const { items } = await api.client.list(coreEvents, { namespace: 'default' })
    const own = items.filter(({ involvedObject }) => involvedObject.name === node)
    const parked = own.find(({ reason }) => reason === 'GotSigtermDuringUpdate')
    expect(parked?.message).toBe(message)
    const again = await started(node)
    await until('it is Done', () => isDone(node, `${node}-3`))
    expect(onDisk(node, 'etc/many/file-249')).toBe('content 249')
    expect(readdirSync(written)).toHaveLength(250)
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
    [['daemon'], /name the Node of this machine/, 2],
    [['daemon', '--node', 'x', '--host', 'sandbox'], /name the directory of the sandbox/, 2],
    [['daemon', '--node', 'x', '--drift', 'ignore'], /Expected one of report, heal, block\./, 2],
    [['daemon', '--node', 'x', '--rules', '5'], /Expected one of 4\.12, 4\.16, policy\./, 2],
    [['daemon', 'first-boot', '--host', 'sandbox'], /name the directory of the sandbox/, 2],
  ])('reports the usage error of %j', (args, message, status) => {
    const { NODE_NAME: _, ...env } = process.env
    const ran = spawnSync(machinist, args, { encoding: 'utf8', env })
    expect(ran.stderr).toMatch(message)
    expect(ran.status).toBe(status)
  })

  it.each([
    ['--kubeconfig', '/nowhere', 'kubeconfig not found at /nowhere: check the path'],
    [
      '--kubelet-health',
      'yes',
      '"yes" is not a kubelet health endpoint: use http://HOST:PORT/PATH',
    ],
  ])('reports the invalid option %s %s', (option, value, error) => {
    const root = join(directory, 'nowhere')
    const args = ['daemon', '--node', 'x', '--host', 'sandbox', '--root', root, option, value]
    const ran = spawnSync(machinist, args, { encoding: 'utf8' })
    expect(ran.stderr).toBe(`machinist: ${error}\n`)
    expect(ran.status).toBe(1)
  })
})
