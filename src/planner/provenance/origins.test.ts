import { describe, expect, it } from 'vitest'
import { file, machineConfig, spec } from '../configs.fixture.ts'
import type { Parts } from '../configs.fixture.ts'
import { mergePolicies } from '../../api/disruption-policy/merge.ts'
import type { MachineConfig } from '../../api/kinds/resources.ts'
import type { Provenance } from '../model/plan-input.ts'
import { plan } from '../plan.ts'
import { unknownNode } from '../unknown-node.ts'
import type { UpdatePlan } from '../model/update-plan.ts'
import { encodeProvenance } from './provenance.ts'

function rendered(name: string, parts: Parts, provenance: Provenance): MachineConfig {
  const { metadata, ...rest } = machineConfig(`rendered-worker-${name}`, spec(parts))
  const annotations = { 'machinist.dev/provenance': encodeProvenance(provenance) }
  return { ...rest, metadata: { ...metadata, annotations } }
}

const before = rendered(
  'a',
  { files: [file('/etc/old')], kernelArguments: ['quiet'] },
  { file: { '/etc/old': '40-old' }, kernelArguments: { '': '40-old', quiet: '40-old' } },
)
const planned = (parts: Parts, provenance: Provenance): UpdatePlan =>
  plan({
    current: before,
    desired: rendered('b', parts, provenance),
    rules: { policies: mergePolicies() },
    facts: unknownNode,
  })
const rebootReason = ({ steps }: UpdatePlan): string | undefined =>
  steps.find((step) => step.do === 'reboot')?.reason

describe('the reason of a reboot names the MachineConfig', () => {
  it('of a file', () => {
    const parts: Parts = {
      files: [file('/etc/old'), file('/etc/new')],
      kernelArguments: ['quiet'],
    }
    const made = planned(parts, { file: { '/etc/old': '40-old', '/etc/new': '50-new' } })
    expect(rebootReason(made)).toBe(
      'update to rendered-worker-b: no policy for /etc/new (from MachineConfig 50-new)',
    )
    expect(made.changes.map(({ from }) => from)).toEqual(['50-new'])
  })

  it('of a kernel argument, and the argument', () => {
    const parts: Parts = { files: [file('/etc/old')], kernelArguments: ['quiet', 'audit=1'] }
    const all = { '': '40-old, 60-audit', quiet: '40-old', 'audit=1': '60-audit' }
    expect(rebootReason(planned(parts, { kernelArguments: all }))).toBe(
      'update to rendered-worker-b: kernel arguments take effect at boot (add audit=1; from MachineConfig 60-audit)',
    )
  })

  it('of a removed value', () => {
    expect(rebootReason(planned({ kernelArguments: ['quiet'] }, {}))).toBe(
      'update to rendered-worker-b: no policy for /etc/old (from MachineConfig 40-old)',
    )
    expect(rebootReason(planned({ files: [file('/etc/old')] }, {}))).toBe(
      'update to rendered-worker-b: kernel arguments take effect at boot (remove quiet; from MachineConfig 40-old)',
    )
  })
})
