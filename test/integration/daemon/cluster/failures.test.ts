import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parseYaml } from '@machinist/core/encoding/yaml'
import { nodes } from '@machinist/kube/kinds/core'
import { CuttableProxy } from '@machinist/testing/servers/cuttable-proxy'
import { nodeAnnotations } from '../../../../src/api/annotations.ts'
import { nodePaths } from '../../../../src/api/node-paths.ts'
import { machineConfigs, machineConfigurations } from '../../../../src/api/kinds/resources.ts'
import { HostFailure } from '../../../../src/daemon/host/host-failure.ts'
import { Faults, faultyHost } from '../../../../src/daemon/host/faults.fixture.ts'
import { config, quietFile } from '../follow/facts.ts'
import { clientOf } from './api.ts'
import { scene } from './scene.ts'

const cluster = scene()

// Real sockets on a shared machine.
describe('a failure', { timeout: 60_000 }, () => {
  it('of a change that a running node cannot apply is Unreconcilable until another config is desired', async () => {
    const node = await cluster
      .machine('refusing')
      .joined(config('refuse-1', { [quietFile]: 'one' }))
    node.start()
    await node.untilDone('refuse-1')
    await node.desire(config('refuse-2', { [quietFile]: 'two' }, { fips: true }))
    await node.untilAnnotation('state', 'Unreconcilable')
    expect(await node.annotation('reason')).toMatch(
      /^can't reconcile config refuse-1 with refuse-2: .*FIPS/,
    )
    expect(await node.annotation('currentConfig')).toBe('refuse-1')
    expect(await node.read(quietFile)).toBe('one')
    await node.until('the MachineConfigNode reports it', async () => {
      return (await node.condition('UpdatePrepared')).startsWith("False: can't reconcile")
    })
    await node.desire(config('refuse-3', { [quietFile]: 'three' }))
    await node.untilDone('refuse-3')
    expect(await node.annotation('reason')).toBe('')
  })

  it('of a service is rolled back, Degraded with the reason, and retried until it works', async () => {
    const policy = '/etc/containers/policy.json'
    const node = await cluster.machine('crio-fails').joined(config('fail-1', { [policy]: 'one' }))
    node.start()
    await node.untilDone('fail-1')
    await node.host.units.setHealth('crio.service', false)
    await node.desire(config('fail-2', { [policy]: 'two' }))
    await node.untilAnnotation('state', 'Degraded', 1000)
    expect(await node.annotation('reason')).toMatch(
      /the update from fail-1 to fail-2 failed: crio(\.service)? .*reload/,
    )
    expect(await node.read(policy)).toBe('one')
    expect(await node.annotation('currentConfig')).toBe('fail-1')
    await node.until('an event names the service', async () => {
      return (await node.events()).some((event) => event.startsWith('FailedServiceReload'))
    })
    await node.untilAnnotation('state', 'Working')
    expect(await node.annotation('reason')).toContain('fail-2 failed')
    await node.host.units.setHealth('crio.service', true)
    await node.untilDone('fail-2')
    expect(await node.read(policy)).toBe('two')
    expect(await node.annotation('reason')).toBe('')
    await node.until('the MachineConfigNode is healthy again', async () => {
      return (await node.condition('NodeDegraded')) === 'False: The node is healthy'
    })
  })

  it('because the desired config does not exist names it, and waits for it', async () => {
    const node = await cluster.machine('pruned').joined(config('pruned-1', { [quietFile]: 'one' }))
    await node.annotate({ [nodeAnnotations.desiredConfig]: 'pruned-2' })
    node.start()
    await node.untilAnnotation('state', 'Degraded')
    expect(await node.annotation('reason')).toMatch(
      /^the desired MachineConfig pruned-2 does not exist/,
    )
    await node.client.create(machineConfigs, config('pruned-2', { [quietFile]: 'two' }))
    await node.until('it is Done', async () => (await node.annotation('state')) === 'Done', 5000)
    expect(await node.annotation('currentConfig')).toBe('pruned-2')
  })

  it('of a drain is reported after an hour, and the daemon keeps waiting', async () => {
    const node = await cluster.machine('stuck-drain').joined(config('drain-1'))
    node.start()
    await node.untilDone('drain-1')
    await node.desire(config('drain-2'))
    await node.untilAnnotation('desiredDrain', 'drain-drain-2')
    await node.until(
      'it is Degraded',
      async () => (await node.annotation('state')) === 'Degraded',
      60_000,
    )
    expect(await node.annotation('reason')).toMatch(/not drained within 60 minutes/)
    await node.answerDrain('drain-drain-2')
    await node.reboots()
    await node.answerDrain('uncordon-drain-2')
    await node.untilDone('drain-2')
  })

  it('because of a damaged state file names it, and ends once the file is restored', async () => {
    const node = await cluster.machine('damaged').joined(config('own-1', { [quietFile]: 'one' }))
    const good = await node.read(nodePaths.currentConfig)
    await node.put(nodePaths.currentConfig, '{')
    node.start()
    await node.untilAnnotation('state', 'Degraded')
    expect(await node.annotation('reason')).toMatch(/currentconfig cannot be used: it is not JSON/)
    await node.put(nodePaths.currentConfig, good)
    await node.until('it is Done', async () => (await node.annotation('state')) === 'Done', 5000)
    expect(await node.annotation('reason')).toBe('')
  })

  it('because of a damaged journal names it, and ends once the journal is removed', async () => {
    const node = await cluster.machine('torn').joined(config('torn-1', { [quietFile]: 'one' }))
    const intent = `${nodePaths.journal}/intent.json.gz`
    await node.put(intent, 'no gzip')
    node.start()
    await node.untilAnnotation('state', 'Degraded')
    expect(await node.annotation('reason')).toBe(
      `${intent} is damaged, so the update can neither be finished nor rolled back: check that the machine is healthy, then remove ${nodePaths.journal}`,
    )
    await node.host.files.remove(intent)
    await node.untilDone('torn-1')
    expect(await node.annotation('reason')).toBe('')
  })

  it('to read the OS state is Degraded until it can be read', async () => {
    const node = await cluster.machine('unasked').joined(config('asked-1', { [quietFile]: 'one' }))
    const state = node.host.os.state.bind(node.host.os)
    node.host.os.state = () =>
      Promise.reject(new HostFailure('rpm-ostree status --json failed (exit 1)', 'exit 1'))
    node.start()
    await node.untilAnnotation('state', 'Degraded')
    expect(await node.annotation('reason')).toBe('rpm-ostree status --json failed (exit 1)')
    node.host.os.state = state
    await node.until('it is Done', async () => (await node.annotation('state')) === 'Done', 5000)
  })

  it('does not concern a deleted Node', async () => {
    const node = await cluster.machine('leaving').joined(config('leave-1', { [quietFile]: 'one' }))
    node.start()
    await node.untilDone('leave-1')
    await node.client.remove(nodes, { name: node.name })
    await node.clock.advance(1000)
    await node.put(quietFile, 'changed by a user')
    await node.clock.advance(60_000)
    await expect(node.object()).rejects.toMatchObject({ code: 404 })
    await node.node({ current: 'leave-1', desired: 'leave-1' })
    await node.untilAnnotation('state', 'Degraded')
  })

  it('to reach the API server is retried', async () => {
    const text = readFileSync(cluster.api.kubeconfig, 'utf8')
    const parsed = parseYaml(text, 'kubeconfig') as {
      clusters: [{ cluster: { server: string } }]
    }
    const proxy = await CuttableProxy.to(parsed.clusters[0].cluster.server)
    const kubeconfig = `${cluster.api.directory}/cuttable`
    writeFileSync(kubeconfig, text.replace(parsed.clusters[0].cluster.server, proxy.url))
    const { client, close } = await clientOf(kubeconfig)
    const node = await cluster
      .machine('cut-off', { client })
      .joined(config('cut-1', { [quietFile]: 'one' }))
    try {
      node.start()
      await node.untilDone('cut-1')
      proxy.cut()
      await node.desire(config('cut-2', { [quietFile]: 'two' }))
      for (let minute = 0; minute < 5; minute++) await node.clock.advance(60_000)
      expect(await node.read(quietFile)).toBe('one')
      proxy.restore()
      await node.untilDone('cut-2')
      expect(await node.read(quietFile)).toBe('two')
    } finally {
      await node.stop()
      close()
      await proxy.stop()
    }
  })

  it('of a daemon that is killed during an update is followed by the completion of the update', async () => {
    const files = { [quietFile]: 'one', '/etc/nmstate/openshift/a.yml': 'one' }
    const node = await cluster.machine('killed').joined(config('killed-1', files))
    const isWrite = (operation: string): boolean => operation === `files.write ${quietFile}`
    const faults = new Faults({ at: 1, die: 'before', by: 'freeze', only: isWrite })
    node.start({ host: faultyHost(node.host, faults) })
    await node.untilDone('killed-1')
    const after = { [quietFile]: 'two', '/etc/nmstate/openshift/a.yml': 'two' }
    await node.desire(config('killed-2', after))
    await faults.died
    expect(await node.annotation('state')).toBe('Working')
    node.abandon()
    node.start()
    await node.untilDone('killed-2')
    expect(await node.read(quietFile)).toBe('two')
    expect(await node.read('/etc/nmstate/openshift/a.yml')).toBe('two')
    expect(await node.host.files.list(nodePaths.journal)).toEqual([])
  })

  it('is not a SIGTERM during an update, which parks it', async () => {
    const files = { [quietFile]: 'one', '/etc/nmstate/openshift/a.yml': 'one' }
    const node = await cluster.machine('parked').joined(config('parked-1', files))
    const stopped = new Faults({ at: 1, fail: 'never', only: () => false })
    node.start({ host: faultyHost(node.host, stopped) })
    await node.untilDone('parked-1')
    const writes = node.host.files.write.bind(node.host.files)
    let stopping: Promise<unknown> | undefined
    node.host.files.write = async (path, file) => {
      await writes(path, file)
      if (path.startsWith(nodePaths.journal)) stopping ??= node.stop()
    }
    const after = { [quietFile]: 'two', '/etc/nmstate/openshift/a.yml': 'two' }
    await node.desire(config('parked-2', after))
    await node.until('the daemon is stopping', () => stopping !== undefined)
    expect(await stopping).toBe('stopped')
    expect(await node.annotation('currentConfig')).toBe('parked-1')
    node.start()
    await node.untilDone('parked-2')
    expect(await node.read(quietFile)).toBe('two')
  })

  it('of the operator to publish the policy does not block updates forever', async () => {
    const { client } = cluster.api
    await client.create(machineConfigurations, {
      metadata: { name: 'cluster' },
      spec: {
        managementState: 'Managed',
        nodeDisruptionPolicy: { files: [{ path: '/etc/motd', actions: [{ type: 'None' }] }] },
      },
    })
    const node = await cluster.machine('impatient', { rules: 'policy' }).joined(config('policy-1'))
    node.start()
    await node.untilDone('policy-1')
    await node.desire(config('policy-2'))
    await node.clock.advance(60_000)
    expect(await node.read('/etc/motd')).toBe('policy-1')
    await node.until('it is done', async () => (await node.annotation('state')) === 'Done', 5000)
    await node.until(
      'it is in the new config',
      async () => (await node.annotation('currentConfig')) === 'policy-2',
      5000,
    )
    expect(await node.read('/etc/motd')).toBe('policy-2')
    expect(node.host.actions).toEqual([])
    await client.remove(machineConfigurations, { name: 'cluster' })
  })
})
