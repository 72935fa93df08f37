import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { silentLogger } from '@machinist/core/log'
import type { KubeObject } from '@machinist/core/objects/resource'
import { parseYamlDocuments } from '@machinist/core/encoding/yaml'
import { startEmbeddedApi } from '@machinist/apiserver/embedded/embedded-api'
import type { KubeClient } from '@machinist/kube/client/client'
import * as admission from '@machinist/kube/kinds/admission'
import { namespaces } from '@machinist/kube/kinds/core'
import type { Transport } from '@machinist/kube/transport/transport'
import { machineConfigPools } from '../../../src/api/kinds/resources.ts'
import { installKinds } from '../../../src/process/install-kinds.ts'
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
    const connection = await clientOf(api.kubeconfig)
    ;({ client, transport } = connection)
    stop = async () => {
      connection.close()
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

  it('protect a built-in pool from a request that deletes all pools', async () => {
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
  it('protect the namespaces with CAs from the deletion of all applied objects', async () => {
    for (const name of ['openshift-kube-apiserver-operator', 'bystander']) {
      await client.create(namespaces, { metadata: { name } })
    }
    await expect(
      client.remove(namespaces, { name: 'openshift-kube-apiserver-operator' }),
    ).rejects.toThrow(
      'Deleting Namespace openshift-kube-apiserver-operator deletes CAs with their keys, or trust bundles of nodes and the API server.',
    )
    await client.remove(namespaces, { name: 'bystander' })
  })
})
