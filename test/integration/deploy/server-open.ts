import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { expect, it } from 'vitest'
import { toYaml } from '@machinist/core/encoding/yaml'
import { daemonSets } from '@machinist/kube/kinds/apps'
import { mergePatch } from '@machinist/kube/patch'
import { until } from '@machinist/testing/until'
import type { MachineConfiguration } from '../../../src/api/kinds/resources.ts'
import { machineConfigurations } from '../../../src/api/kinds/resources.ts'
import { createIfMissing } from '../../../src/devcluster/objects/create-object.ts'
import type { Attempt } from './attempts.ts'
import { runDocumentedCommands } from './documented.ts'
import { namespace } from './identities.ts'
import { refusal } from './refused.ts'
import type { Stage } from './stage.ts'
import { folder } from './stage.ts'

const path = '/apis/operator.openshift.io/v1/machineconfigurations/cluster/status'
const key = { name: 'cluster' }

/** deploy/server-open: a server without tokens sets its condition, and nothing else. */
export function serverOpen(stage: () => Stage): void {
  const serverArgs = async (): Promise<readonly string[]> => {
    const name = 'machine-config-server'
    const { spec } = await stage().client.get(daemonSets, { namespace, name })
    return spec?.template.spec?.containers[0]?.args ?? []
  }
  const found = (): Promise<MachineConfiguration> => stage().client.get(machineConfigurations, key)
  const write = async (
    change: (status: Status) => object,
    query: Attempt['query'] = {},
  ): Promise<string> => {
    const object = await found()
    const body = { ...object, status: change(object.status ?? {}) }
    return await refusal(stage(), 'server', { method: 'PUT', path, query, body })
  }
  /** Without an effect if it is allowed. */
  const tryTo = (change: (status: Status) => object): Promise<string> =>
    write(change, { dryRun: 'All' })
  const set = (value: 'True' | 'False') =>
    write(({ conditions = [], ...rest }) => ({
      ...rest,
      conditions: [
        ...conditions.filter((one) => one.type !== type),
        { ...condition, status: value },
      ],
    }))

  it('a server that serves without tokens sets its condition, and nothing else', async () => {
    const { client, kubectl } = stage()
    await createIfMissing(client, machineConfigurations, {
      metadata: key,
      spec: { managementState: 'Managed' },
    })
    const others = [{ ...condition, type: 'Other' }]
    const status = { conditions: others, observedGeneration: 1 }
    await client.patch(machineConfigurations, key, mergePatch({ status }), {
      subresource: 'status',
    })
    expect(await set('True')).toMatch(/cannot update resource "machineconfigurations\/status"/)

    const directory = await mkdtemp(join(tmpdir(), 'machinist-open-'))
    const kustomization = {
      resources: [relative(directory, folder(''))],
      components: [relative(directory, folder('server-open'))],
    }
    await writeFile(join(directory, 'kustomization.yaml'), toYaml(kustomization))
    await kubectl('apply', ...applied, '-k', directory)
    await rm(directory, { recursive: true })
    expect(await serverArgs()).toContain('--open')

    await until('the permission is in effect', async () => (await set('True')) === allowed)
    const denied = /may only set the condition machinist\.dev\/ServerOpen$/
    await until('the policy is in effect', async () => denied.test(await tryTo(withoutOthers)))
    expect(await tryTo((was) => ({ ...was, observedGeneration: 2 }))).toMatch(denied)
    expect(await tryTo((was) => ({ ...was, nodeDisruptionPolicyStatus: {} }))).toMatch(denied)
    expect(await tryTo(({ conditions = [] }) => ({ conditions }))).toMatch(denied)
    expect(await set('False')).toBe(allowed)
    expect((await found()).status?.conditions?.map((one) => one.type)).toEqual(['Other', type])
  })

  it('a server requires tokens again after the documented commands', async () => {
    const { kubectl } = stage()
    await kubectl('apply', ...applied, '-k', folder(''))
    expect(await serverArgs()).not.toContain('--open')
    await runDocumentedCommands(stage(), '### A server without tokens')
    await until('the permission is gone', async () => /cannot update/.test(await set('True')))
  })
}

type Status = NonNullable<MachineConfiguration['status']>

const allowed = 'it was allowed'
/** Earlier cases own the definitions. */
const applied = ['--server-side', '--force-conflicts']
const type = 'machinist.dev/ServerOpen'
const condition = {
  type,
  status: 'True',
  reason: 'Open',
  message: '',
  lastTransitionTime: '2026-01-01T00:00:00Z',
} as const

const withoutOthers = ({ conditions = [], ...rest }: Status): object => ({
  ...rest,
  conditions: conditions.filter((one) => one.type === type),
})
