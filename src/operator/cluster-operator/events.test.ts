import { describe, expect, it } from 'vitest'
import type { Condition } from '@machinist/core/objects/resource'
import type { ClusterOperatorStatus } from '../../api/openshift-config.ts'
import { eventsFor } from './events.ts'

const status = (version: string, ...conditions: Condition[]): ClusterOperatorStatus => ({
  versions: [{ name: 'operator', version }],
  conditions,
})
const condition = (
  type: string,
  holds: Condition['status'],
  message = '',
  reason = '',
): Condition => ({ type, status: holds, message, reason })

const degraded = (message: string): Condition =>
  condition('Degraded', 'True', message, 'RenderConfigFailed')
const fine = condition('Degraded', 'False')

describe('events', () => {
  it('a version change has events at its start and end', () => {
    const idle = status('1', condition('Progressing', 'False', 'Cluster version is 1'))
    const begun = status('1', condition('Progressing', 'True', 'Working towards 2'))
    const done = status('2', condition('Progressing', 'False', 'Cluster version is 2'))
    expect(eventsFor(idle, begun)).toEqual([
      {
        type: 'normal',
        reason: 'OperatorVersionChanged',
        message: 'clusteroperator/machine-config is at [{operator 1}]: Working towards 2',
      },
    ])
    expect(eventsFor(begun, begun)).toEqual([])
    expect(eventsFor(begun, done)).toEqual([
      {
        type: 'normal',
        reason: 'OperatorVersionChanged',
        message:
          'clusteroperator/machine-config changed its version from [{operator 1}] to [{operator 2}]',
      },
    ])
    expect(eventsFor(done, done)).toEqual([])
  })

  it('a new cluster has one event', () => {
    const begun = status('1', condition('Progressing', 'True', 'Cluster is bootstrapping 1'))
    const [event, ...more] = eventsFor(undefined, begun)
    expect(more).toEqual([])
    expect(event?.message).toBe(
      'clusteroperator/machine-config is at [{operator 1}]: Cluster is bootstrapping 1',
    )
  })

  it('Degraded has an event when it changes', () => {
    expect(eventsFor(status('1', fine), status('1', degraded('a')))).toEqual([
      { type: 'warning', reason: 'OperatorDegraded: RenderConfigFailed', message: 'a' },
    ])
    expect(eventsFor(status('1', degraded('a')), status('1', degraded('a')))).toEqual([])
    expect(eventsFor(status('1', degraded('a')), status('1', degraded('b')))).toEqual([
      { type: 'warning', reason: 'OperatorDegraded: RenderConfigFailed', message: 'b' },
    ])
    expect(eventsFor(status('1', degraded('b')), status('1', fine))).toEqual([])
  })

  it('kubelets that become too old have an event', () => {
    const may = condition('Upgradeable', 'True', '', 'AsExpected')
    const skew = condition('Upgradeable', 'True', 'a is old', 'KubeletSkewUnsupported')
    const near = condition('Upgradeable', 'True', 'a is oldish', 'KubeletSkewPresent')
    expect(eventsFor(status('1', may), status('1', skew))).toEqual([
      { type: 'warning', reason: 'KubeletSkewUnsupported', message: 'a is old' },
    ])
    expect(eventsFor(status('1', skew), status('1', skew))).toEqual([])
    expect(eventsFor(status('1', may), status('1', near))).toEqual([])
  })
})
