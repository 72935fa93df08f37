import { describe, expect, it } from 'vitest'
import { emptyControllerConfigSpec } from '../../api/kinds/new-controller-config.ts'
import type { MachineConfig } from '../../api/kinds/resources.ts'
import type { TemplatePlan } from './decide.ts'
import { decide } from './decide.ts'
import type { TemplateFacts } from './facts.ts'
import { readTemplates } from './template-set.ts'

const name = 'machine-config-controller'
const facts: TemplateFacts = {
  controllerConfig: { metadata: { name, uid: 'u' }, spec: emptyControllerConfigSpec },
  pullSecret: { text: '' },
  templates: readTemplates(
    new Map([
      ['common/00/_base/files/etc/a.liquid', 'a'],
      ['worker/01-kubelet/_base/files/etc/b.liquid', 'b'],
    ]),
  ),
  foreignConfigs: [],
  maker: { build: 'b' },
}
const foreign = (configName: string, role: string, kind = 'ControllerConfig'): MachineConfig => ({
  metadata: {
    name: configName,
    labels: { 'machineconfiguration.openshift.io/role': role },
    annotations: {
      'machineconfiguration.openshift.io/generated-by-controller-version':
        '5b1f0b4a6ac05bb0ee5a3f35ec2d0d9bfda9a0a6',
    },
    ownerReferences: [{ apiVersion: 'x/v1', kind, name, uid: 'u', controller: true }],
  },
})

/** `worker store 00-worker,01-worker-kubelet`, one for each role. */
function planOf(more: Partial<TemplateFacts> = {}): string[] {
  const plan: TemplatePlan = decide({ ...facts, ...more })
  if (plan.type === 'unfinished') return [`unfinished: ${String(plan.failure)}`]
  return plan.roles.map((one) => {
    const configs = one.action === 'reject' ? [] : one.configs.map(({ metadata }) => metadata.name)
    return `${one.role} ${one.action} ${configs.join()}`.trim()
  })
}

describe('the plan for the roles of a ControllerConfig', () => {
  it('is to store the MachineConfigs of each role, with their digests', () => {
    expect(planOf()).toEqual(['master store 00-master', 'worker store 00-worker,01-worker-kubelet'])
    expect(decide(facts)).toMatchObject({
      roles: [{ record: '{"00-master":"6319ba092b38e0a3e96681c7d74902a4"}' }, {}],
    })
  })

  it.each([
    ['with the name of one of them', foreign('00-worker', 'worker', 'Other')],
    ['of the templates of another controller', foreign('02-worker-theirs', 'worker')],
  ])('is to withhold a role with a MachineConfig %s', (_, one) => {
    expect(planOf({ foreignConfigs: [one] })).toEqual([
      'master store 00-master',
      'worker withhold 00-worker,01-worker-kubelet',
    ])
  })

  it('does not depend on other MachineConfigs of another controller', () => {
    const theirs = foreign('99-worker-ssh', 'worker', 'Other')
    expect(planOf({ foreignConfigs: [theirs] })).toEqual(planOf())
  })

  it('is to withhold all roles if another operator wrote the ControllerConfig', () => {
    const version = 'machineconfiguration.openshift.io/generated-by-version'
    const { controllerConfig } = facts
    const metadata = { ...controllerConfig.metadata, annotations: { [version]: 'v4.16.0-2024' } }
    expect(planOf({ controllerConfig: { ...controllerConfig, metadata } })).toEqual([
      'master withhold 00-master',
      'worker withhold 00-worker,01-worker-kubelet',
    ])
  })

  it('is to reject only roles whose templates fail', () => {
    const templates = readTemplates(
      new Map([
        ['common/00/_base/files/etc/a.liquid', 'a'],
        ['worker/00/_base/files/etc/b.liquid', '{{ nope }}'],
      ]),
    )
    expect(planOf({ templates })).toEqual(['master store 00-master', 'worker reject'])
  })

  it('is to store nothing if the pull secret could not be read', () => {
    expect(planOf({ readFailure: new Error('no') })).toEqual(['unfinished: Error: no'])
  })
})
