import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { machineConfigPools } from '../../../src/api/resources.ts'
import { silentLogger } from '@machinist/core/log'
import type { KubeObject } from '@machinist/core/resource'
import { parseYamlDocuments } from '@machinist/core/yaml'
import { startEmbeddedApi } from '@machinist/apiserver/embedded/embedded-api'
import { installKinds } from '../../../src/process/install-kinds.ts'
import type { KubeClient } from '@machinist/kube/client'
import * as admission from '@machinist/kube/kinds/admission'
import { namespaces } from '@machinist/kube/kinds/core'
import type { Transport } from '@machinist/kube/transport'
import { clientOf } from '../daemon/cluster/api.ts'

const file = 'deploy/admission/deletion-guards.yaml'
const all = '/apis/machineconfiguration.openshift.io/v1/machineconfigpools'

describe('deploy/admission/deletion-guards.yaml', () => {
  const directory = mkdtempSync(join(tmpdir(), 'machinist-guards-'))
  let client: KubeClient
  let transport: Transport
  let stop: () => Promise<void>

  beforeAll(async () => {
    const log = silentLogger
    const api = await startEmbeddedApi({ data: directory, host: '127.0.0.1', port: 0, log })
    const reached = await clientOf(api.kubeconfig)
    ;({ client, transport } = reached)
    stop = async () => {
      reached.close()
      await api.stop()
    }
    await installKinds(api.kubeconfig)
    const text = readFileSync(join(import.meta.dirname, '../../..', file), 'utf8')
    const [policy, binding] = parseYamlDocuments(text, file) as [KubeObject, KubeObject]
    await client.create(admission.validatingAdmissionPolicies, policy as never)
    await client.create(admission.validatingAdmissionPolicyBindings, binding as never)
  })

  afterAll(async () => {
    await stop?.()
    rmSync(directory, { recursive: true })
  })

  const role = (value: string): object => ({
    matchLabels: { 'machineconfiguration.openshift.io/role': value },
  })

  it('keep a built-in pool also from one who deletes all pools in one request', async () => {
    for (const name of ['infra', 'worker']) {
      const spec = { machineConfigSelector: role('worker'), nodeSelector: role(name) }
      await client.create(machineConfigPools, { metadata: { name }, spec })
    }
    const refused = /Every node depends on this MachineConfigPool\./
    await expect(transport.request({ method: 'DELETE', path: all })).rejects.toThrow(refused)
    await expect(client.remove(machineConfigPools, { name: 'worker' })).rejects.toThrow(refused)
    const { items } = await client.list(machineConfigPools)
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['worker'])
  })
  it('keep the namespaces with the CAs from one who deletes all that was applied', async () => {
    for (const name of ['openshift-kube-apiserver-operator', 'bystander']) {
      await client.create(namespaces, { metadata: { name } })
    }
    await expect(
      client.remove(namespaces, { name: 'openshift-kube-apiserver-operator' }),
    ).rejects.toThrow(
      'CAs with their keys, or what nodes and the API server trust, would go with Namespace openshift-kube-apiserver-operator.',
    )
    await client.remove(namespaces, { name: 'bystander' })
  })
})
