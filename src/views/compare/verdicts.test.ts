import { describe, expect, it } from 'vitest'
import { directRotation, renderedRotation, sampleComparison, withNode } from './sample.fixture.ts'
import type { Comparison, Rotation } from './facts.ts'
import { apiVerdict, nodesVerdict, pausedVerdict, signerVerdict, timeVerdict } from './verdicts.ts'

const withDirect = (change: Partial<Rotation>): Comparison => ({
  ...sampleComparison,
  direct: { ...directRotation, ...change },
})

/** Without the authority that was made. */
function stuck(rotation: Rotation): Rotation {
  const { authority: _, ...others } = rotation
  return others
}

describe('what the numbers come to', () => {
  it('is about the signer', () => {
    const issuerOnly = { seconds: 1.5, rotated: false, filesWritten: 0 }
    const said = (change: object): string[] =>
      signerVerdict(withDirect({ issuerOnly: { ...issuerOnly, ...change } }))
    expect(said({})).toEqual([
      'Taking certificate-issuer away changed nothing within 1.5 s; taking certificate-not-after away made a new CA.',
    ])
    expect(said({ rotated: true })[0]).toContain('away made a new CA, which it should not; taking')
    expect(said({ filesWritten: 2 })[0]).toContain('made no new CA, but 2 files on nodes changed')
    expect(signerVerdict({ ...sampleComparison, direct: stuck(directRotation) })[0]).toMatch(
      /; taking certificate-not-after away did not always make a new CA\.$/,
    )
  })

  it('is about the API', () => {
    const newConfigs = renderedRotation.newConfigs.slice(0, 1)
    expect(apiVerdict(withDirect({ newConfigs }))).toEqual([
      'Rendered: 3 new configs, one for each pool, and 24–25 requests by each node. Direct: 1 new config, and 2 requests by each node.',
    ])
  })

  it('is about those who were disturbed, and in which way', () => {
    const services = { daemonReloads: 1, services: ['restart crio.service'], reboots: 2 }
    const rendered = withNode(renderedRotation, 'worker-0', { services, cordons: 1, drains: 1 })
    const comparison = { ...sampleComparison, rendered: { ...rendered, evictions: 5 } }
    expect(nodesVerdict(comparison)[0]).toBe(
      'Rendered: 1 cordon, 1 drain, 5 evictions, 2 reboots, 1 × restart or reload of services. Direct: nobody disturbed. Both write /etc/kubernetes/kubelet-ca.crt.',
    )
  })

  it('names the files where they differ, and OpenShift only where there is something to say', () => {
    const written = ['/etc/b', '/etc/a']
    const direct = withNode(directRotation, 'worker-0', { written })
    const quiet = { ...renderedRotation, newConfigs: [] }
    const said = nodesVerdict({
      ...sampleComparison,
      rendered: quiet,
      direct: { ...direct, controllerConfigWrites: 1 },
    })
    expect(said).toEqual([
      'Either way nobody is cordoned, drained or rebooted, and no service is restarted or reloaded. ' +
        'Rendered delivery writes /etc/kubernetes/kubelet-ca.crt, direct delivery /etc/a, /etc/b and /etc/kubernetes/kubelet-ca.crt.',
    ])
  })

  it('is about a paused pool', () => {
    expect(pausedVerdict(sampleComparison)).toEqual([
      'Pool infra is paused. Rendered: no new CA on infra-0 and infra-1, and the rotation waits for them. Direct: every node has the new CA, and the rotation is over.',
    ])
    const waiting = (laggards: string[]): string | undefined =>
      pausedVerdict(withDirect({ end: { phase: 'Preparing', laggards, holdingOld: 6 } }))[0]
    expect(waiting(['worker-1'])).toContain('the new CA, and the rotation waits for worker-1.')
    expect(waiting([])).toContain('the new CA, and the rotation waits for something else.')
  })

  it('is about time', () => {
    expect(timeVerdict({ ...sampleComparison, speed: 1 })).toEqual([
      'Whoever was to have the new CA had it after 2.4 s (rendered) and 1.2 s (direct).',
      'Nothing was hurried.',
    ])
    expect(timeVerdict(withDirect({ nodes: [] }))[0]).toBe('Not every rotation came to its nodes.')
  })
})
