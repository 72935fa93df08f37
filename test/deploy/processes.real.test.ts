import type { ChildProcess } from 'node:child_process'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { bundle } from '../../scripts/bundle.ts'
import { poolLabel } from '../../src/api/labels.ts'
import { configMaps as sources } from '../../src/api/names.ts'
import { kubeletConfigs, machineConfigPools, machineConfigs } from '../../src/api/resources.ts'
import { systemClock } from '../../src/base/clock.ts'
import { silentLogger } from '../../src/base/log.ts'
import { toYaml } from '../../src/base/yaml.ts'
import { installMachine } from '../../src/cli/up/ignition-stand-in.ts'
import { giveKubeconfigs } from '../../src/cli/up/node-kubeconfigs.ts'
import { registerNode, tellHealth } from '../../src/cli/up/node-object.ts'
import { endInstallation } from '../../src/cli/up/trust-sources.ts'
import { openSandbox } from '../../src/daemon/host/sandbox/sandbox.ts'
import { ifThere } from '../../src/kube/failure.ts'
import { configMaps } from '../../src/kube/kinds/core.ts'
import { authority, authorityPair } from '../daemon/trust/certificates.ts'
import { ChildProcesses } from '../support/child-processes.ts'
import { describeOnRealCluster } from '../support/real-cluster.ts'
import { until } from '../support/until.ts'
import { tokenOf } from './identities.ts'
import { inWords } from './recorded.ts'
import type { Stage } from './stage.ts'
import { folder } from './stage.ts'
import { startReal } from './start-real.ts'

const root = join(import.meta.dirname, '../..')
const never = new AbortController().signal

/** As docs/install.md has it: what images hold, started as pods start it, on a Kubernetes that has nothing but itself. */
describeOnRealCluster('a plain Kubernetes with deploy/ and the programs of the images', () => {
  let stage: Stage
  let children: ChildProcesses
  let directory = ''
  const at = (name: string): string => join(directory, name)

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'machinist-processes-'))
    children = new ChildProcesses(directory)
    const [started] = await Promise.all([
      startReal('OwnerReferencesPermissionEnforcement'),
      bundle(at('cluster'), 'cluster'),
      bundle(at('daemon'), 'daemon'),
    ])
    stage = started
  })
  afterAll(async () => {
    await children?.stop()
    await stage?.stop()
  })

  /** A kubeconfig with nothing but this credential. */
  const kubeconfig = (name: string, user: object): string => {
    const path = at(`${name}.kubeconfig`)
    const ca = Buffer.from(stage.ca).toString('base64')
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'a',
      contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
      clusters: [
        { name: 'a', cluster: { server: stage.server, 'certificate-authority-data': ca } },
      ],
      users: [{ name: 'a', user }],
    }
    writeFileSync(path, toYaml(config), { mode: 0o600 })
    return path
  }
  /** Of one of the two images. */
  const start = (image: string, name: string, ...args: string[]): ChildProcess =>
    children.start(name, at(`${image}/machinist`), args)

  it('does all of it with the credentials that it gives', async () => {
    const { client, kubectl } = stage
    await kubectl('apply', '--server-side', '-k', folder(''))
    await kubectl('apply', '-f', join(root, 'examples/cluster.yaml'))
    const api = await authorityPair('the-api-servers-own')
    for (const [name, pem] of [
      ['initial-kube-apiserver-server-ca', await authority('who-calls-kubelets-today')],
      ['initial-serving-ca', api.certificate],
    ] as const) {
      const metadata = { namespace: 'openshift-config', name }
      await client.create(configMaps, { metadata, data: { 'ca-bundle.crt': pem } })
    }
    await kubectl('apply', '-f', join(root, 'examples/trust-rotation.yaml'))
    const running = new Map<string, ChildProcess>()
    for (const [command, part, ...more] of [
      ['signer', 'signer'],
      ['operator', 'operator'],
      ['controller', 'controllers', '--render-window=0'],
    ] as const) {
      const token = await tokenOf(client, part)
      running.set(
        command,
        start(
          'cluster',
          command,
          command,
          `--kubeconfig=${kubeconfig(command, { token })}`,
          ...more,
        ),
      )
    }
    for (const source of [sources.kubeletClientCA, sources.apiServerCA]) {
      await until(`${source.name} is published`, async () => {
        return (await ifThere(client.get(configMaps, source))) !== undefined
      })
    }
    await endInstallation(client)

    const pool = async (): Promise<string | undefined> => {
      const found = await ifThere(client.get(machineConfigPools, { name: 'worker' }))
      return found?.spec.configuration?.name
    }
    await until('workers have a config', async () => (await pool()) !== undefined)
    const served = await client.get(machineConfigs, { name: (await pool())! })
    for (const number of [0, 1]) {
      const name = `sandbox-${number}`
      const planned = { name, pool: 'worker', number }
      const machine = await openSandbox({ root: at(name), clock: systemClock })
      await installMachine(
        { machine, clock: systemClock, log: silentLogger },
        async () => served,
        never,
      )
      await giveKubeconfigs(machine.files, api.certificate)
      await registerNode(client, planned)
      const bootId = await machine.power.bootId()
      await tellHealth(client, systemClock, planned, { ready: true, why: 'it is', bootId })
      const token = await tokenOf(client, 'daemon', name)
      const { certificate, key } = await stage.kubelet(name)
      const base64 = (text: string): string => Buffer.from(text).toString('base64')
      const kubelet = {
        'client-certificate-data': base64(certificate),
        'client-key-data': base64(key),
      }
      running.set(
        name,
        start(
          'daemon',
          name,
          'daemon',
          `--node=${name}`,
          '--host=sandbox',
          `--root=${at(name)}`,
          `--kubeconfig=${kubeconfig(name, { token })}`,
          `--node-kubeconfig=${kubeconfig(`kubelet-${name}`, kubelet)}`,
        ),
      )
    }
    const isUpdated = async (): Promise<boolean> => {
      const { spec, status } = await client.get(machineConfigPools, { name: 'worker' })
      const isIn = status?.configuration?.name === spec.configuration?.name
      return isIn && status?.updatedMachineCount === 2
    }
    await until('both nodes are in it', isUpdated)
    await kubectl('apply', '-f', join(root, 'examples/without-reboot.yaml'))
    await until('there is another config', async () => (await pool()) !== served.metadata.name)
    await until('both nodes are in the other one', isUpdated)

    // Here the right to let things go with their owners is asked for, too.
    await client.create(kubeletConfigs, {
      metadata: { name: 'ours' },
      spec: {
        machineConfigPoolSelector: { matchLabels: { [poolLabel('master')]: '' } },
        kubeletConfig: { maxPods: 100 },
      },
    })
    await until('its config is made', async () => {
      const name = '99-master-generated-kubelet'
      return (await ifThere(client.get(machineConfigs, { name }))) !== undefined
    })

    // A person who may rotate, and nothing else.
    await kubectl('create', 'serviceaccount', 'jane')
    const jane = ['jane-rotates', '--serviceaccount=default:jane']
    await kubectl('create', 'clusterrolebinding', ...jane, '--clusterrole=machinist-rotate')
    for (const each of ['openshift-kube-apiserver-operator', 'openshift-machine-config-operator']) {
      await kubectl('-n', each, 'create', 'rolebinding', ...jane, '--role=machinist-rotate')
    }
    const token = (await kubectl('create', 'token', 'jane')).trim()
    const as = [`--kubeconfig=${kubeconfig('jane', { token })}`]
    const machinist = join(root, 'bin/machinist')
    const rotate = ['rotate', 'kubelet-client', '--dry-run', ...as]
    const { stdout } = await promisify(execFile)(machinist, rotate)
    expect(stdout).toContain('Nothing was changed.')

    const ends = [...running.values()].map(async (child) => {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      return ended
    })
    expect(await Promise.all(ends)).toEqual([...running].map(() => [0, null]))
    const asked = stage.recorded().filter(({ user }) => /^system:(serviceaccount|node):/.test(user))
    const refused = asked.filter(({ code }) => code === 403)
    expect(refused.map((request) => `${request.user} ${inWords(request)}`)).toEqual([])
    expect(new Set(asked.map(({ user }) => user)).size).toBe(7)
  })
})
