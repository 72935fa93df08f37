import { describe, expect, it } from 'vitest'
import type { MachineConfig, MachineConfigPool } from '../../api/resources.ts'
import { selectedBy } from './gather.ts'

const role = 'machineconfiguration.openshift.io/role'

function of(name: string, label: string, owner?: string): MachineConfig {
  const ownerReferences = owner && {
    ownerReferences: [{ apiVersion: 'x/v1', kind: owner, name: 'o', uid: 'u', controller: true }],
  }
  return { metadata: { name, labels: { [role]: label }, ...ownerReferences } }
}

const pool = (
  machineConfigSelector?: MachineConfigPool['spec']['machineConfigSelector'],
): MachineConfigPool => ({
  metadata: { name: 'p' },
  spec: { ...(machineConfigSelector && { machineConfigSelector }) },
})

const all = [
  of('00-master', 'master', 'ControllerConfig'),
  of('05-extra-master', 'master'),
  of('00-worker', 'worker', 'ControllerConfig'),
  of('rendered-master-1', 'master', 'MachineConfigPool'),
]

const selected = (selector?: MachineConfigPool['spec']['machineConfigSelector']): string[] =>
  selectedBy(pool(selector), all).machineConfigs.map(({ metadata }) => metadata.name)

describe('what a pool selects', () => {
  it('is what has the labels, whoever made it, but nothing that was rendered', () => {
    expect(selected({ matchLabels: { [role]: 'master' } })).toEqual([
      '00-master',
      '05-extra-master',
    ])
    expect(selected({ matchLabels: { [role]: 'infra' } })).toEqual([])
  })

  it('is nothing where nothing, or everything, is asked for', () => {
    expect(selected()).toEqual([])
    expect(selected({})).toEqual([])
  })

  it('is nothing, with a reason, where the selector makes no sense', () => {
    const odd = pool({ matchExpressions: [{ key: 'a', operator: 'Near' }] })
    expect(selectedBy(odd, all)).toEqual({
      machineConfigs: [],
      problem: 'label selector: a: Near is not one of In, NotIn, Exists, DoesNotExist',
    })
  })
})
