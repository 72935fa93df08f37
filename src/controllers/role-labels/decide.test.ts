import { describe, expect, it } from 'vitest'
import type { Node } from '@machinist/kube/kinds/core'
import type { MachineConfig, MachineConfigPool } from '../../api/kinds/resources.ts'
import type { RoleLabelsPlan } from './decide.ts'
import { decide } from './decide.ts'
import type { RoleLabelsFacts } from './facts.ts'
import { configNameOf } from './facts.ts'

const role = (name: string): string => `node-role.kubernetes.io/${name}`
const domain = 'machineconfiguration.openshift.io'
const [served, current] = [`${domain}/firstPivotConfig`, `${domain}/currentConfig`]
const marked = `${domain}/customPoolLabelsApplied`

const pool = (name: string): MachineConfigPool => ({
  metadata: { name },
  spec: { nodeSelector: { matchLabels: { [role(name)]: '' } } },
})
const pools = ['master', 'worker', 'arbiter', 'infra'].map(pool)
const rendered = (name: string): MachineConfig => ({
  metadata: {
    name: `rendered-${name}-1`,
    ownerReferences: [
      { apiVersion: 'x/v1', kind: 'MachineConfigPool', name, uid: 'u', controller: true },
    ],
  },
})
const configs = ['master', 'worker', 'arbiter', 'infra', 'gone'].map(rendered)

const node = (
  annotations: Record<string, string>,
  labels: Record<string, string> = { 'kubernetes.io/os': 'linux' },
): Node => ({ metadata: { name: 'n1', labels, annotations } })

const decided = (of: Node, more: Partial<RoleLabelsFacts> = {}): RoleLabelsPlan | undefined =>
  decide({
    node: of,
    pools,
    config: configs.find(({ metadata }) => metadata.name === configNameOf(of)),
    distribution: 'kubernetes',
    ...more,
  })

const worker = { [role('worker')]: '' }

describe('a node that joins plain Kubernetes without role labels', () => {
  it.each([
    ['worker', { type: 'label', pool: 'worker', labels: worker }],
    ['infra', { type: 'label', pool: 'infra', labels: { ...worker, [role('infra')]: '' } }],
    ['gone', { type: 'label', pool: 'worker', labels: worker }],
  ])('is put into the pool that it booted into: %s', (booted, expected) => {
    expect(decided(node({ [served]: `rendered-${booted}-1` }))).toEqual(expected)
  })

  it.each(['master', 'arbiter'])('is not made a %s by its own claim', (booted) => {
    expect(decided(node({ [served]: `rendered-${booted}-1` }))).toEqual({
      type: 'ask',
      pool: booted,
      config: `rendered-${booted}-1`,
      labels: { [role(booted)]: '' },
    })
  })

  it('is not labelled again after an administrator removed the labels', () => {
    const again = node({ [served]: 'rendered-worker-1', [marked]: '' })
    expect(decided(again)?.type).toBe('ask')
  })

  it('is not labelled without firstPivotConfig', () => {
    expect(decided(node({ [current]: 'rendered-worker-1' }))?.type).toBe('ask')
  })

  it('is left to an administrator when the selector allows several labels', () => {
    const vague: MachineConfigPool = {
      metadata: { name: 'infra' },
      spec: {
        nodeSelector: { matchExpressions: [{ key: 'a', operator: 'In', values: ['b', 'c'] }] },
      },
    }
    const facts = { pools: [pool('worker'), vague] }
    expect(decided(node({ [served]: 'rendered-infra-1' }), facts)?.type).toBe('ask')
  })
})

describe('a node that is left alone', () => {
  it.each<[string, Node]>([
    ['selected by a pool', node({ [served]: 'rendered-infra-1' }, worker)],
    ['with Windows', node({ [served]: 'rendered-worker-1' }, { 'kubernetes.io/os': 'windows' })],
    ['without a config', node({})],
    ['with a config that no pool owns', node({ [served]: 'by-hand' })],
  ])('is %s', (_, of) => {
    expect(decided(of)).toBeUndefined()
  })
})

it.each(['openshift', undefined] as const)('does not label nodes of %s', (distribution) => {
  expect(decided(node({ [served]: 'rendered-worker-1' }), { distribution })?.type).toBe('ask')
})
