import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { MachineConfig } from '../../api/kinds/resources.ts'
import { holdMessage, holdOf } from './hold.ts'

const generatedBy = 'machineconfiguration.openshift.io/generated-by-controller-version'
const commit = '5b1f0b4a6ac05bb0ee5a3f35ec2d0d9bfda9a0a6'

function config(name: string, by: string, source: string, compression?: string): MachineConfig {
  const contents = { source, ...(compression && { compression }) }
  const files = [{ path: '/etc/motd', mode: 420, overwrite: true, contents }]
  return {
    metadata: { name, annotations: { [generatedBy]: by } },
    spec: { config: { ignition: { version: '3.4.0' }, storage: { files } } },
  }
}
const theirs = config('rendered-worker-mco', commit, 'data:,hello')
const packed = `data:;base64,${gzipSync('hello').toString('base64')}`

describe('a pool whose nodes run a config of another controller', () => {
  it('is not held if only the encoding and the name differ', () => {
    const same = config('rendered-worker-ours', 'machinist-1.2.3', packed, 'gzip')
    expect(holdOf([theirs], same)).toBeUndefined()
  })

  it('is held if the content differs, with the plan', () => {
    const other = config('rendered-worker-ours', 'machinist-1.2.3', 'data:,bye')
    const hold = holdOf([theirs], other)
    expect(hold).toEqual({
      config: 'rendered-worker-mco',
      maker: `MCO (controller build ${commit})`,
      plan: '1 file changed; the node is drained and reboots',
    })
    expect(holdMessage('worker', hold!)).toBe(
      `Pool worker is held: its nodes run MachineConfig rendered-worker-mco, rendered by MCO (controller build ${commit}), and Machinist changes no node that another controller configured. The plan would be: 1 file changed; the node is drained and reboots. To leave the nodes to that controller, stop Machinist; see docs/install.md, "Clusters that MCO runs"`,
    )
  })

  it('is held while the target is not known', () => {
    expect(holdOf([theirs], undefined)).toEqual({
      config: 'rendered-worker-mco',
      maker: `MCO (controller build ${commit})`,
    })
  })

  it.each(['machinist-1.2.2', '0.1.0', ''])('is not held by a config that "%s" rendered', (by) => {
    const ours = config('rendered-worker-old', by, 'data:,old')
    const next = config('rendered-worker-new', 'machinist-1.2.3', 'data:,new')
    expect(holdOf([ours], next)).toBeUndefined()
  })
})
