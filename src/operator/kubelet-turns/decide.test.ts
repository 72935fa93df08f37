import { describe, expect, it } from 'vitest'
import type { TurnFacts } from './facts.ts'
import { decide, workerBudget } from './decide.ts'

const usual = { isReady: true, isStarted: false, wasWithdrawn: false }
const requestedAt = '2026-11-16T14:02:00Z'

const worker = (node: string, others: Partial<TurnFacts> = {}): TurnFacts => ({
  node,
  isControlPlane: false,
  ...usual,
  requestedAt,
  ...others,
})
const master = (node: string, others: Partial<TurnFacts> = {}): TurnFacts => ({
  ...worker(node, others),
  isControlPlane: true,
})

const steps = (...turns: TurnFacts[]): string[] =>
  decide({ turns, workers: 10, lost: [] }).steps.map(({ action, node }) => `${action} ${node}`)

describe('turns to restart a kubelet', () => {
  it('one node of the control plane has a turn at a time', () => {
    expect(steps(master('master-1'), master('master-0'))).toEqual(['grant master-0'])
    expect(steps(master('master-0', { heldMs: 0 }), master('master-1'))).toEqual([])
  })

  it('a turn of a deleted Node counts until its kubelet must be back', () => {
    const lost = [{ isControlPlane: true, leftMs: 30_000 }]
    const turns = [master('master-1'), worker('worker-1')]
    expect(decide({ turns, workers: 1, lost })).toMatchObject({
      steps: [{ action: 'grant', node: 'worker-1' }],
      requeueAfterMs: 30_000,
    })
  })

  it('ten workers have a turn at a time, beside the control plane', () => {
    const workers = Array.from({ length: 12 }, (_, number) => worker(`worker-${number + 10}`))
    const granted = steps(...workers, master('master-0'))
    expect(granted).toHaveLength(11)
    expect(granted).toEqual([
      'grant master-0',
      ...workers.slice(0, 10).map(({ node }) => `grant ${node}`),
    ])
    const held = Array.from({ length: 9 }, (_, number) => worker(`held-${number}`, { heldMs: 0 }))
    expect(steps(...held, ...workers)).toEqual(['grant worker-10'])
  })

  it('two of a hundred workers have a turn at a time in large clusters', () => {
    expect([1, 500, 501, 5000].map(workerBudget)).toEqual([10, 10, 10, 100])
  })

  it('the first request comes first; NotReady nodes and those with a withdrawn turn come last', () => {
    const facts = [
      master('a', { wasWithdrawn: true, requestedAt: '2026-11-16T10:00:00Z' }),
      master('b', { isReady: false, requestedAt: '2026-11-16T11:00:00Z' }),
      master('c', { requestedAt: '2026-11-16T13:00:00Z' }),
      master('d', { requestedAt: '2026-11-16T12:00:00Z' }),
    ]
    const order: string[] = []
    for (let left = facts; left.length > 0;) {
      const [step] = decide({ turns: left, workers: 0, lost: [] }).steps
      order.push(step!.node)
      left = left.filter(({ node }) => node !== step!.node)
    }
    expect(order).toEqual(['d', 'c', 'b', 'a'])
  })

  it('a turn is cleared when its node requests none, and the next is granted only after that', () => {
    const { requestedAt: _, ...done } = master('master-0', { heldMs: 5000, isStarted: true })
    expect(steps(done, master('master-1'))).toEqual(['clear master-0'])
    const { requestedAt: __, ...off } = master('master-2', { wasWithdrawn: true })
    expect(steps(off)).toEqual(['clear master-2'])
  })

  it('a turn that is not started within two minutes, or not finished within twenty, is withdrawn', () => {
    expect(steps(worker('a', { heldMs: 119_000 }))).toEqual([])
    expect(steps(worker('a', { heldMs: 120_000 }))).toEqual(['withdraw a'])
    expect(steps(worker('a', { heldMs: 1_199_000, isStarted: true }))).toEqual([])
    expect(steps(worker('a', { heldMs: 1_200_000, isStarted: true }))).toEqual(['withdraw a'])
    const turns = [worker('a', { heldMs: 100_000 }), worker('b', { heldMs: 0, isStarted: true })]
    expect(decide({ turns, workers: 2, lost: [] })).toEqual({
      steps: [],
      granted: 2,
      waiting: 0,
      requeueAfterMs: 20_000,
    })
  })
})
