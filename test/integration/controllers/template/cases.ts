import { afterEach, beforeAll, expect, it } from 'vitest'
import type { KubeClient } from '@machinist/kube/client/client'
import { ignoreNotFound } from '@machinist/kube/failure'
import { secrets } from '@machinist/kube/kinds/core'
import { coreEvents } from '@machinist/kube/kinds/events'
import { mergePatch } from '@machinist/kube/patch'
import { removeAll } from '@machinist/testing/clusters/remove-all'
import { until } from '@machinist/testing/until'
import type { ControllerConfig, MachineConfig } from '../../../../src/api/kinds/resources.ts'
import {
  controllerConfigs,
  kubeletConfigs,
  machineConfigPools,
  machineConfigs,
} from '../../../../src/api/kinds/resources.ts'
import { loadTemplates } from '../../../../src/process/templates.ts'
import { installDefinitions } from '../../../../src/api/definitions/definitions.fixture.ts'
import type { RunningControllers } from '../../../support/running-controllers.ts'
import { runRender } from '../render/run-render.ts'
import {
  machineConfig,
  makeNamespace,
  motd,
  pool,
  theControllerConfig,
} from '../support/cluster-objects.ts'
import { exampleControllerConfig } from '../support/example-controller-config.ts'
import { isGone, namesOf, target } from '../support/machine-configs.ts'
import { poolCondition } from '../support/reported.ts'
import { conditionsOf, pullSecret, runTemplate, smallTemplates, sourceOf } from './run-template.ts'

const role = 'machineconfiguration.openshift.io/role'
const generatedBy = 'machineconfiguration.openshift.io/generated-by-controller-version'
const delivery = 'machinist.dev/certificate-delivery'
const done = [
  'TemplateControllerRunning: False AsExpected',
  'TemplateControllerCompleted: True AsExpected',
  'TemplateControllerFailing: False AsExpected',
  'machinist.dev/TemplatesFailing.master: False AsExpected',
  'machinist.dev/TemplatesFailing.worker: False AsExpected',
]

/** Runs on the embedded API server and on a real one. */
export function templateCases(client: KubeClient): void {
  let running: RunningControllers

  beforeAll(async () => {
    await installDefinitions(client)
    await makeNamespace(client, 'openshift-config')
  })
  afterEach(async () => {
    await running.stop()
    await removeAll(client, [controllerConfigs, machineConfigs, machineConfigPools])
    await ignoreNotFound(client.remove(secrets, pullSecret('').metadata))
  })

  const made = (
    more: Partial<ControllerConfig['spec']> = {},
    annotations: Record<string, string> = {},
  ): Promise<ControllerConfig> => {
    const { spec } = exampleControllerConfig('plain-kubernetes')
    const metadata = { ...theControllerConfig, annotations }
    return client.create(controllerConfigs, { metadata, spec: { ...spec, ...more } })
  }
  const current = (): Promise<ControllerConfig> =>
    client.get(controllerConfigs, theControllerConfig)
  const change = (body: object): Promise<ControllerConfig> =>
    client.patch(controllerConfigs, theControllerConfig, mergePatch(body))
  const isObserved = (lines: readonly string[]): Promise<void> =>
    until(`the ControllerConfig has ${lines.join(', ')}`, async () => {
      const config = await current()
      const conditions = conditionsOf(config)
      const isNew = config.status?.observedGeneration === config.metadata.generation
      return isNew && lines.every((line) => conditions.includes(line))
    })
  const get = (name: string): Promise<MachineConfig> => client.get(machineConfigs, { name })
  const patch = (name: string, body: object): Promise<MachineConfig> =>
    client.patch(machineConfigs, { name }, mergePatch(body))
  const holds = (name: string, path: string, source: string | undefined): Promise<void> =>
    until(`${path} in ${name} is ${source}`, async () => sourceOf(await get(name), path) === source)

  it('generates the MachineConfigs of the built-in roles from the shipped templates', async () => {
    const { metadata } = await made()
    running = runTemplate(client, await loadTemplates())
    await isObserved(done)

    const { items } = await client.list(machineConfigs)
    expect(items.map(({ metadata: { name } }) => name).toSorted()).toEqual([
      '00-master',
      '00-worker',
      '01-master-container-runtime',
      '01-master-kubelet',
      '01-worker-container-runtime',
      '01-worker-kubelet',
    ])
    for (const one of items) {
      expect(one.metadata.labels).toEqual({ [role]: one.metadata.name.split('-')[1] })
      expect(one.metadata.annotations).toEqual({ [generatedBy]: 'machinist-1' })
      expect(one.metadata.ownerReferences).toEqual([
        {
          apiVersion: 'machineconfiguration.openshift.io/v1',
          kind: 'ControllerConfig',
          name: 'machine-config-controller',
          uid: metadata.uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ])
    }
    expect(conditionsOf(await current())).toEqual(done)
  })

  it('repairs edited MachineConfigs, and recreates deleted ones', async () => {
    await made()
    running = runTemplate(client, smallTemplates())
    await isObserved(done)
    const before = await get('00-worker')
    const isRepaired = (what: string): Promise<void> =>
      until(what, async () => {
        const { metadata, spec } = await get('00-worker')
        return (
          JSON.stringify([spec, metadata.labels, metadata.ownerReferences]) ===
            JSON.stringify([
              before.spec,
              before.metadata.labels,
              before.metadata.ownerReferences,
            ]) && metadata.annotations?.[generatedBy] === 'machinist-1'
        )
      })
    await patch('00-worker', { spec: { kernelArguments: ['evil'] } })
    await isRepaired('the spec is repaired')
    await patch('00-worker', { metadata: { labels: { [role]: 'master' }, ownerReferences: null } })
    await isRepaired('label and owner are repaired')
    await patch('00-worker', { metadata: { annotations: { [generatedBy]: null, mine: 'stays' } } })
    await isRepaired('the annotation is repaired')
    expect((await get('00-worker')).metadata.annotations?.['mine']).toBe('stays')
    await client.remove(machineConfigs, { name: '00-worker' })
    await until('it exists again', async () => {
      const { items } = await client.list(machineConfigs)
      const again = items.find(({ metadata }) => metadata.name === '00-worker')
      return again !== undefined && again.metadata.uid !== before.metadata.uid
    })
  })

  it('follows spec, annotations and topology of the ControllerConfig', async () => {
    await made({ rootCAData: 'Q0E=' })
    running = runTemplate(client, smallTemplates())
    await isObserved(done)
    expect(sourceOf(await get('00-master'), '/etc/dns')).toBe('data:,10.96.0.10%20master%0A')
    expect(sourceOf(await get('00-master'), '/etc/ca')).toBeUndefined()

    await change({ spec: { clusterDNSIP: '10.0.0.1' } })
    await isObserved(done)
    expect(sourceOf(await get('00-master'), '/etc/dns')).toBe('data:,10.0.0.1%20master%0A')

    await change({ metadata: { annotations: { [delivery]: 'rendered' } } })
    await holds('00-worker', '/etc/ca', 'data:,CA')
    await change({ metadata: { annotations: { [delivery]: 'direct' } } })
    await holds('00-worker', '/etc/ca', undefined)

    const infra = {
      apiVersion: 'config.openshift.io/v1',
      kind: 'Infrastructure',
      metadata: { name: 'cluster' },
      spec: {},
      status: {
        controlPlaneTopology: 'HighlyAvailableArbiter',
        platformStatus: { type: 'BareMetal' },
      },
    }
    await change({ spec: { infra } })
    await isObserved([...done, 'machinist.dev/TemplatesFailing.arbiter: False AsExpected'])
    expect((await get('00-arbiter')).metadata.labels).toEqual({ [role]: 'arbiter' })
  })

  it('waits for the pull secret, follows it, and never reports its contents', async () => {
    await made({ pullSecret: { namespace: 'openshift-config', name: 'pull-secret' } })
    running = runTemplate(client, smallTemplates())
    await isObserved([
      'TemplateControllerCompleted: False PullSecretMissing',
      'TemplateControllerFailing: True PullSecretMissing',
      'machinist.dev/TemplatesFailing.master: True PullSecretMissing',
    ])
    const auths = (text: string): string => `{ "auths": { "x": { "auth": "${text}" } } }`
    await client.create(secrets, pullSecret(auths('TOPSECRET1')))
    await isObserved(done)
    const path = '/var/lib/kubelet/config.json'
    const source = (text: string): string =>
      `data:,%7B%22auths%22%3A%7B%22x%22%3A%7B%22auth%22%3A%22${text}%22%7D%7D%7D%0A`
    await holds('00-worker', path, source('TOPSECRET1'))
    const data = pullSecret(auths('TOPSECRET2')).data
    await client.patch(secrets, pullSecret('').metadata, mergePatch({ data }))
    await holds('00-worker', path, source('TOPSECRET2'))

    const bad = pullSecret('{"TOPSECRET3": {}}').data
    await client.patch(secrets, pullSecret('').metadata, mergePatch({ data: bad }))
    await isObserved(['TemplateControllerFailing: True BadPullSecret'])
    await client.patch(secrets, pullSecret('').metadata, mergePatch({ data }))
    await isObserved(done)
    await change({ spec: { images: { broken: 'yes' } } })
    await isObserved(['machinist.dev/TemplatesFailing.worker: True BadTemplate'])

    await running.events.flush()
    const events = (await client.list(coreEvents, { namespace: 'default' })).items
    const reported = JSON.stringify([await current(), events])
    expect(reported).toContain(
      'worker/01-kubelet/_base/files/etc/b.liquid:2:4: there is no variable',
    )
    expect(reported).not.toContain('TOPSECRET')
    expect(running.logged).toContain('worker/01-kubelet/_base/files/etc/b.liquid:2:4')
    expect(running.logged).not.toContain('TOPSECRET')
  })

  it('an invalid template blocks only its role, and only pools that use it', async () => {
    await made({}, { 'machineconfiguration.openshift.io/generated-by-version': '1.2.3' })
    await pool(client, 'master', ['master'])
    await pool(client, 'infra', ['worker', 'infra'])
    running = runTemplate(client, smallTemplates())
    await isObserved(done)
    const renderer = runRender(client)
    try {
      const isRendered = (of: string, than?: string): Promise<void> =>
        until(`${of} is rendered`, async () => {
          const name = await target(client, of)
          return name !== undefined && name !== than
        })
      await isRendered('master')
      await isRendered('infra')
      const [master, infra] = [await target(client, 'master'), await target(client, 'infra')]
      await change({ spec: { images: { broken: 'yes' }, clusterDNSIP: '10.0.0.2' } })
      await isObserved([
        'TemplateControllerRunning: False AsExpected',
        'TemplateControllerCompleted: False BadTemplate',
        'TemplateControllerFailing: True BadTemplate',
        'machinist.dev/TemplatesFailing.master: False AsExpected',
        'machinist.dev/TemplatesFailing.worker: True BadTemplate',
      ])
      await isRendered('master', master)
      await until('infra has the reason', async () => {
        const condition = await poolCondition(client, 'infra', 'RenderDegraded')
        return condition?.reason === 'TemplatesFailed'
      })
      expect((await poolCondition(client, 'infra', 'RenderDegraded'))?.message).toContain(
        'worker/01-kubelet/_base/files/etc/b.liquid:2:4: there is no variable pullSecret.nope',
      )
      expect(await target(client, 'infra')).toBe(infra)
      expect(sourceOf(await get('00-worker'), '/etc/dns')).toBe('data:,10.96.0.10%20worker%0A')
      await change({ spec: { images: { broken: null } } })
      await isRendered('infra', infra)
    } finally {
      await renderer.stop()
    }
  })

  it('a part of new templates is never rendered for a pool', async () => {
    await made({}, { 'machineconfiguration.openshift.io/generated-by-version': '1.2.3' })
    await pool(client, 'worker', ['worker'])
    const partsWith = (text: string): Record<string, string> =>
      Object.fromEntries(
        ['05', '06', '07', '08'].map((part) => [`worker/${part}/_base/files/etc/${part}`, text]),
      )
    const renderer = runRender(client)
    const isRenderedWith = (text: string): Promise<void> =>
      until(`the worker pool has ${text}`, async () => {
        const name = await target(client, 'worker')
        return name !== undefined && sourceOf(await get(name), '/etc/08') === `data:,${text}`
      })
    try {
      for (const text of ['one', 'two', 'three']) {
        running = runTemplate(client, smallTemplates(partsWith(text)))
        await isRenderedWith(text)
        await running.stop()
      }
      // An edited MachineConfig is repaired before it is rendered.
      running = runTemplate(client, smallTemplates(partsWith('three')))
      await patch('05-worker', { spec: { kernelArguments: ['evil'] } })
      await until('it is repaired', async () => !(await get('05-worker')).spec?.kernelArguments)
      await client.remove(machineConfigs, { name: '05-worker' })
      await change({ spec: { clusterDNSIP: '10.0.0.3' } })
      await until('the pool has the new address', async () => {
        const name = await target(client, 'worker')
        return sourceOf(await get(name!), '/etc/dns') === 'data:,10.0.0.3%20worker%0A'
      })
      const { items } = await client.list(machineConfigs)
      const rendered = items.filter(({ metadata }) => metadata.name.startsWith('rendered-'))
      const texts = rendered.map((one) =>
        ['05', '06', '07', '08'].map((part) => sourceOf(one, `/etc/${part}`)).join(' '),
      )
      const four = (text: string): string => Array(4).fill(`data:,${text}`).join(' ')
      expect(texts.toSorted()).toEqual([four('one'), four('three'), four('three'), four('two')])
    } finally {
      await renderer.stop()
    }
  })

  it('writes nothing without changes', async () => {
    await made()
    running = runTemplate(client, smallTemplates())
    await isObserved(done)
    const versions = async (): Promise<unknown> =>
      (await client.list(machineConfigs)).items.map(({ metadata }) => metadata.resourceVersion)
    const [before, { metadata }] = [await versions(), await current()]
    // A reconcile without changes, and then a deletion whose repair proves it.
    await patch('00-master', { metadata: { annotations: { mine: 'x' } } })
    const annotated = await get('00-master')
    await client.remove(machineConfigs, { name: '01-master-kubelet' })
    await until('the deleted MachineConfig is recreated', async () => {
      return (await namesOf(client, '01-')).includes('01-master-kubelet')
    })
    expect((await get('00-master')).metadata.resourceVersion).toBe(
      annotated.metadata.resourceVersion,
    )
    expect((await current()).metadata.resourceVersion).toBe(metadata.resourceVersion)
    expect(before).toContain((await get('00-worker')).metadata.resourceVersion)
  })

  it('deletes only MachineConfigs that templates no longer include', async () => {
    await made()
    running = runTemplate(client, smallTemplates({ 'worker/05-mine/_base/files/etc/c': 'x' }))
    await isObserved(done)
    expect(sourceOf(await get('05-worker-mine'), '/etc/c')).toBe('data:,x')
    await machineConfig(client, '06-worker-theirs', 'worker', motd('x'))
    await running.stop()
    running = runTemplate(client, smallTemplates())
    await isGone(client, '05-worker-mine')
    expect((await get('06-worker-theirs')).metadata.name).toBe('06-worker-theirs')
  })

  it('does not overwrite MachineConfigs of another controller', async () => {
    const owner = await client.create(kubeletConfigs, { metadata: { name: 'theirs' }, spec: {} })
    const ownerReferences = [
      {
        apiVersion: 'machineconfiguration.openshift.io/v1',
        kind: 'KubeletConfig',
        name: 'theirs',
        uid: owner.metadata.uid!,
        controller: true,
      },
    ]
    await client.create(machineConfigs, { metadata: { name: '00-worker', ownerReferences } })
    await made()
    running = runTemplate(client, smallTemplates())
    await isObserved([
      'machinist.dev/TemplatesFailing.master: False AsExpected',
      'machinist.dev/TemplatesFailing.worker: True NotOurs',
    ])
    const { status } = await current()
    expect(status?.conditions?.at(-1)?.message).toBe(
      'MachineConfig 00-worker belongs to KubeletConfig theirs; delete or rename it',
    )
    expect(running.metrics.text()).toContain('machinist_templates_failing{role="worker"} 1')
    await client.remove(machineConfigs, { name: '00-worker' })
    await isObserved(done)
    await client.remove(kubeletConfigs, { name: 'theirs' })
  })
}
