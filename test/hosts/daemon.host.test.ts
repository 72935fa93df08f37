import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  configMaps as configMapResource,
  namespaces as namespaceResource,
  nodes,
} from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import { readBundle } from '@machinist/pki/bundle'
import { until } from '@machinist/testing/until'
import { nodeAnnotations, ownControllerConfigAnnotations } from '../../src/api/annotations.ts'
import type { NodeTrustStatus } from '../../src/api/kinds/node-trust.ts'
import { configMaps, names } from '../../src/api/names.ts'
import { nodePaths, unitPath } from '../../src/api/node-paths.ts'
import type { MachineConfig } from '../../src/api/kinds/resources.ts'
import { controllerConfigs, machineConfigs, nodeTrusts } from '../../src/api/kinds/resources.ts'
import { fingerprintsDigest, specDigests } from '../../src/api/trust/digests.ts'
import { makeDirectoriesAbove } from '../../src/daemon/trust/items/trust-file.ts'
import { emptyControllerConfigSpec } from '../../src/api/kinds/new-controller-config.ts'
import { runKubeletTurns } from '../support/kubelet-turns.ts'
import type { Api } from '../integration/daemon/cluster/api.ts'
import { startApi } from '../integration/daemon/cluster/api.ts'
import { config } from '../integration/daemon/follow/facts.ts'
import { base64, bundle } from '../integration/daemon/trust/certificates.ts'
import { describeOnMachines } from './host-tools.ts'
import { Machine } from './machine.ts'
import { ostreeBoot } from './ostree-boot.ts'

/** The daemon as a service of a real systemd on a real ostree, including the reboots that it requests. */
describeOnMachines('the daemon on a real machine', (tools) => {
  let api: Api
  let machine: Machine

  beforeAll(async () => {
    api = await startApi()
    machine = await Machine.start(async (directory) => ({
      ...(await ostreeBoot(tools, directory)),
      shared: true,
    }))
    await install()
    void keptOn()
  })

  afterAll(async () => {
    await machine?.stop()
    await api?.stop()
  })

  /** Boots the machine again whenever it reboots, until it is stopped. */
  const keptOn = async (): Promise<void> => {
    try {
      for (;;) await machine.comesBack()
    } catch {
      // The test is over, or it fails because the machine does not come back.
    }
  }

  const put = (path: string, text: string): Promise<void> =>
    machine.host().files.write(path, { content: Buffer.from(text), mode: 0o600, uid: 0, gid: 0 })

  const install = async (): Promise<void> => {
    const { units } = machine.host()
    await put('/etc/daemon.kubeconfig', readFileSync(api.kubeconfig, 'utf8'))
    const program = '/opt/node /opt/machinist/src/cli/main.ts daemon'
    const options =
      '--node machine --kubeconfig /etc/daemon.kubeconfig --rules 4.16 --kubelet-health off'
    const lines = ['[Service]', `ExecStart=${program} ${options}`, 'Restart=always', 'RestartSec=1']
    const install = ['[Install]', 'WantedBy=multi-user.target', '']
    await put('/etc/systemd/system/machinist.service', [...lines, ...install].join('\n'))
    await units.enable(['machinist.service'])
    await units.daemonReload()
  }

  const on = (image: string, kernelArguments: string[], made: MachineConfig): MachineConfig => ({
    ...made,
    spec: { ...made.spec, osImageURL: image, kernelArguments },
  })

  const desire = async (name: string): Promise<void> => {
    const annotations = { [nodeAnnotations.desiredConfig]: name }
    await api.client.patch(nodes, { name: 'machine' }, mergePatch({ metadata: { annotations } }))
  }

  const annotations = async (): Promise<Record<string, string>> =>
    (await api.client.get(nodes, { name: 'machine' })).metadata.annotations ?? {}

  const done = (name: string): Promise<void> =>
    until(`the node is Done with ${name}`, async () => {
      const now = await annotations()
      const reason = now[nodeAnnotations.reason]
      if (now[nodeAnnotations.state] === 'Degraded') throw new Error(`Degraded: ${reason}`)
      return now[nodeAnnotations.currentConfig] === name && now[nodeAnnotations.state] === 'Done'
    })

  it('applies an image, kernel arguments and files, and reverts them', async () => {
    await api.client.create(machineConfigs, on('os/v1', [], config('first', { '/etc/a': 'one' })))
    await api.client.create(
      machineConfigs,
      on('os/v2', ['nosmt'], config('second', { '/etc/a': 'two', '/etc/b': 'new' })),
    )
    const annotations = {
      [nodeAnnotations.desiredConfig]: 'first',
      [nodeAnnotations.controlPlaneTopology]: 'SingleReplica',
    }
    await api.client.create(nodes, { metadata: { name: 'machine', annotations } })
    await machine.host().units.restart('machinist.service')
    await done('first')
    const { booted: before } = await machine.host().os.state()
    const bootId = await machine.host().power.bootId()
    expect(before.image).toBe('os/v1')

    await desire('second')
    await done('second')
    const host = machine.host()
    expect(await host.power.bootId()).not.toBe(bootId)
    const { booted } = await host.os.state()
    expect(booted.image).toBe('os/v2')
    expect(booted.kernelArguments).toEqual([...before.kernelArguments, 'nosmt'])
    expect(Buffer.from(await host.files.read('/etc/a')).toString()).toBe('two')
    expect(Buffer.from(await host.files.read('/etc/b')).toString()).toBe('new')
    const who = '--identifier=machine-config-daemon'
    const journal = await machine.run('journalctl', '--boot=-1', who, '--output=cat')
    expect(journal).toContain('Rebooting: ')

    await desire('first')
    await done('first')
    const back = machine.host()
    expect(await back.os.state()).toEqual({ booted: before })
    expect(Buffer.from(await back.files.read('/etc/a')).toString()).toBe('one')
    expect(await back.files.stat('/etc/b')).toBeUndefined()
  })

  it('delivers CAs by the trust lane, and restarts the kubelet once', async () => {
    const host = machine.host()
    const read = async (path: string): Promise<string> =>
      Buffer.from(await host.files.read(path)).toString()
    const [before, after] = [await bundle('old'), await bundle('old', 'new')]
    for (const path of [nodePaths.bootstrapKubeconfig, nodePaths.kubeletKubeconfig]) {
      await makeDirectoriesAbove(host.files, path)
      const content = Buffer.from(kubeconfigWith(before))
      await host.files.write(path, { content, mode: 0o600, uid: 0, gid: 0 })
    }
    await put(unitPath('kubelet.service'), kubelet)
    await host.units.daemonReload()
    await host.units.restart('kubelet.service')
    const startedWith = (): Promise<string> => machine.run('cat', '/run/kubelet-started-with')
    expect(await startedWith()).toBe(kubeconfigWith(before).trim())

    const kubeletCA = await bundle('caller')
    const stop = new AbortController()
    const turns = runKubeletTurns(api.client, stop.signal)
    await give(kubeletCA, after)
    await until('the NodeTrust reports every item as current', async () => {
      const { items } = await trusted()
      const named = (name: string) => items?.find((each) => each.name === name)
      return (
        named('kubelet-client-ca')?.state === 'Current' &&
        named('api-server-ca')?.state === 'Current' &&
        named('api-server-ca')?.loadedAt !== undefined
      )
    })
    stop.abort()
    await turns
    expect(await read(nodePaths.kubeletCA)).toBe(kubeletCA)
    expect(await read(nodePaths.bootstrapKubeconfig)).toBe(kubeconfigWith(after))
    expect(await read(nodePaths.kubeletKubeconfig)).toBe(kubeconfigWith(after))
    expect(await startedWith()).toBe(kubeconfigWith(after).trim())
    expect(await machine.run('cat', '/run/kubelet-starts')).toBe('started\nstarted')
    expect(await host.units.isHealthy('kubelet.service')).toBe(true)
  })

  const trusted = async (): Promise<NodeTrustStatus> => {
    const { items } = await api.client.list(nodeTrusts, {})
    return items[0]?.status ?? {}
  }

  /** As the operator does. */
  const give = async (kubeletCA: string, apiServerCA: string): Promise<void> => {
    const { namespace, name, key } = configMaps.kubeconfigData
    await api.client.create(namespaceResource, { metadata: { name: namespace } })
    await api.client.create(configMapResource, {
      metadata: { namespace, name },
      binaryData: { [key]: base64(apiServerCA) },
    })
    const spec = { ...emptyControllerConfigSpec, kubeAPIServerServingCAData: base64(kubeletCA) }
    const digests = {
      ...specDigests(spec),
      'api-server-ca': fingerprintsDigest(readBundle(apiServerCA).bundle.keys()),
    }
    await api.client.create(controllerConfigs, {
      metadata: {
        name: names.controllerConfig,
        annotations: { [ownControllerConfigAnnotations.trustDigests]: JSON.stringify(digests) },
      },
      spec,
    })
  }
})

const kubeconfigWith = (ca: string): string =>
  `clusters:
- name: local
  cluster:
    certificate-authority-data: ${base64(ca)}
    server: https://api-int.example:6443
users:
- name: kubelet
  user: {token: secret}
`

/** Reads its kubeconfig only when it starts, like a real kubelet. */
const kubelet = `[Service]
ExecStartPre=/bin/sh -c 'echo started >> /run/kubelet-starts'
ExecStartPre=/bin/cp ${nodePaths.kubeletKubeconfig} /run/kubelet-started-with
ExecStart=/bin/sleep infinity
`
