import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { describeGraph } from './describe-graph.ts'

describe('describeGraph', () => {
  it('draws inputs and outputs', () => {
    const text = describeGraph([
      {
        name: 'render',
        inputs: [{ resource: 'MachineConfigPool' }, { resource: 'MachineConfig' }],
        outputs: ['MachineConfig', 'MachineConfigPool'],
      },
      {
        name: 'rollout',
        inputs: [{ resource: 'MachineConfigPool' }, { resource: 'Node' }, { resource: 'Node' }],
        outputs: ['Node'],
      },
    ])
    expect(text).toBe(`flowchart LR
  r1[("MachineConfigPool")]
  r2[("MachineConfig")]
  r3[("Node")]
  c1["render"]
  r1 --> c1
  r2 --> c1
  c1 ==> r2
  c1 ==> r1
  c2["rollout"]
  r1 --> c2
  r3 --> c2
  c2 ==> r3
`)
  })

  it('draws an empty graph without controllers', () => {
    expect(describeGraph([])).toBe('flowchart LR\n')
  })

  it('escapes names', () => {
    expect(describeGraph([{ name: 'say "x"]', inputs: [], outputs: [] }])).toBe(
      'flowchart LR\n  c1["say #quot;x#quot;]"]\n',
    )
  })

  it('has one line for each node and each arrow', () => {
    const kind = fc.constantFrom('A', 'B', 'C', 'D')
    const flow = fc.record({
      name: fc.constantFrom('x', 'y', 'z'),
      inputs: fc.uniqueArray(kind).map((kinds) => kinds.map((resource) => ({ resource }))),
      outputs: fc.uniqueArray(kind),
    })
    fc.assert(
      fc.property(fc.array(flow), (flows) => {
        const kinds = new Set(
          flows.flatMap(({ inputs, outputs }) => [...inputs.map((i) => i.resource), ...outputs]),
        )
        const arrows = flows.reduce((sum, f) => sum + f.inputs.length + f.outputs.length, 0)
        const lines = describeGraph(flows).trimEnd().split('\n')
        expect(lines).toHaveLength(1 + kinds.size + flows.length + arrows)
      }),
    )
  })
})
