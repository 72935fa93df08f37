import { describe, expect, it } from 'vitest'
import { directRotation, renderedRotation, sampleComparison, withNode } from './sample.fixture.ts'
import type { Comparison, ComparedRotation } from './facts.ts'
import { apiVerdict, nodesVerdict, pausedVerdict, signerVerdict, timeVerdict } from './verdicts.ts'

const withDirect = (change: Partial<ComparedRotation>): Comparison => ({
  ...sampleComparison,
  direct: { ...directRotation, ...change },
})

/** Without the new CA. */
function stuck(rotation: ComparedRotation): ComparedRotation {
  const { authority: _, ...others } = rotation
  return others
}

describe('the conclusion', () => {
  it('describes the signer', () => {
    const issuerOnly = { seconds: 1.5, rotated: false, filesWritten: 0 }
    const verdict = (change: object): string[] =>
      signerVerdict(withDirect({ issuerOnly: { ...issuerOnly, ...change } }))
    expect(verdict({})).toEqual([
      'Removing certificate-issuer changed nothing within 1.5 s; removing certificate-not-after created a new CA.',
    ])
    expect(verdict({ rotated: true })[0]).toContain('created a new CA, which is wrong; removing')
    expect(verdict({ filesWritten: 2 })[0]).toContain(
      'created no new CA, but 2 files on nodes changed',
    )
    expect(signerVerdict({ ...sampleComparison, direct: stuck(directRotation) })[0]).toMatch(
      /; removing certificate-not-after did not always create a new CA\.$/,
    )
  })

  it('describes the API', () => {
    const newConfigs = renderedRotation.newConfigs.slice(0, 1)
    expect(apiVerdict(withDirect({ newConfigs }))).toEqual([
      'Rendered: 3 new configs, one for each pool, and 24–25 requests by each node. Direct: 1 new config, and 2 requests by each node.',
    ])
  })

  it('describes disruptions', () => {
    const services = { daemonReloads: 1, services: ['restart crio.service'], reboots: 2 }
    const rendered = withNode(renderedRotation, 'worker-0', { services, cordons: 1, drains: 1 })
    const comparison = { ...sampleComparison, rendered: { ...rendered, evictions: 5 } }
    expect(nodesVerdict(comparison)[0]).toBe(
      'Rendered: 1 cordon, 1 drain, 5 evictions, 2 reboots, 1 × restart or reload of services. Direct: no disruption. Both write /etc/kubernetes/kubelet-ca.crt.',
    )
  })

  it('names different files, and OpenShift only if there is a difference', () => {
    const written = ['/etc/b', '/etc/a']
    const direct = withNode(directRotation, 'worker-0', { written })
    const quiet = { ...renderedRotation, newConfigs: [] }
    const verdict = nodesVerdict({
      ...sampleComparison,
      rendered: quiet,
      direct: { ...direct, controllerConfigWrites: 1 },
    })
    expect(verdict).toEqual([
      'With both deliveries no node is cordoned, drained or rebooted, and no service is restarted or reloaded. ' +
        'Rendered delivery writes /etc/kubernetes/kubelet-ca.crt, direct delivery /etc/a, /etc/b and /etc/kubernetes/kubelet-ca.crt.',
    ])
  })

  it('describes a paused pool', () => {
    expect(pausedVerdict(sampleComparison)).toEqual([
      'Pool infra is paused. Rendered: no new CA on infra-0 and infra-1, and the rotation waits for them. Direct: every node has the new CA, and the rotation is completed.',
    ])
    const waiting = (laggards: string[]): string | undefined =>
      pausedVerdict(withDirect({ end: { phase: 'Preparing', laggards, holdingOld: 6 } }))[0]
    expect(waiting(['worker-1'])).toContain('the new CA, and the rotation waits for worker-1.')
    expect(waiting([])).toContain('the new CA, and the rotation waits for something else.')
  })

  it('describes the time', () => {
    expect(timeVerdict({ ...sampleComparison, speed: 1 })).toEqual([
      'All nodes that receive the new CA had it after 2.4 s (rendered) and 1.2 s (direct).',
      'Waiting times were not shortened.',
    ])
    expect(timeVerdict(withDirect({ nodes: [] }))[0]).toBe('Not every rotation reached its nodes.')
  })
})
