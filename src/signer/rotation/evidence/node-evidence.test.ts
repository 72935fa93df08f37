import { expect, it } from 'vitest'
import type { Node } from '@machinist/kube/kinds/core'
import {
  atRest,
  authority,
  day,
  rotationOf,
  signer,
  spec,
  start,
} from '../decide/decide-facts.fixture.ts'
import type { NodeTrust } from '../../../api/kinds/resources.ts'
import { NodeEvidence } from './node-evidence.ts'

const node: Node = { metadata: { name: 'a', uid: '1' } }

it('returns the rotations that a change of a node concerns, and forgets deleted ones', () => {
  let trust: NodeTrust | undefined
  const evidence = new NodeEvidence({
    nodes: { get: () => node, list: () => [node] },
    nodeTrusts: { get: () => trust },
  })
  for (const name of ['one', 'two']) {
    evidence.facts(atRest({ rotation: { ...rotationOf(), name } }))
  }
  const { trustedBy: _, ...timed } = spec
  expect(evidence.facts(atRest({ rotation: { ...rotationOf(timed), name: 'three' } }))).toEqual({
    nodes: undefined,
  })
  expect(evidence.nodeChanged('a', start)).toEqual([])
  const certificates = [
    { fingerprint: 'fingerprint of 1', subject: 'CN=keys_signer@1', notAfter: '' },
  ]
  const items = [{ name: 'kubelet-client-ca', state: 'Current' as const, certificates }]
  trust = { metadata: { name: 'a' }, status: { items } }
  expect(evidence.nodeChanged('a', start)).toEqual(['one', 'two'])
  expect(evidence.nodeChanged('a', start)).toEqual([])
  trust = undefined
  evidence.forget('one')
  expect(evidence.nodeChanged('a', start)).toEqual(['two'])
})

it('keeps what nodes reported about a CA when a rotation goes back to it', () => {
  const [a, b] = [authority('1'), authority('2', start + day)]
  const certificates = [a, b].map(({ fingerprint, subject }) => ({
    fingerprint,
    subject,
    notAfter: '',
  }))
  const ledger = (state: 'Current' | 'Lagging', count: number): NodeTrust => ({
    metadata: { name: 'a' },
    status: {
      items: [{ name: 'api-server-ca', state, certificates: certificates.slice(0, count) }],
    },
  })
  let trust = ledger('Current', 1)
  const evidence = new NodeEvidence({
    nodes: { get: () => node, list: () => [node] },
    nodeTrusts: { get: () => trust },
  })
  const rotation = rotationOf({ ...spec, trustedBy: 'api-server-ca' })
  evidence.facts(atRest({ rotation, signer: signer(a) }))
  // The new CA is on disk, and the kubelet runs with the old one.
  trust = ledger('Lagging', 2)
  evidence.nodeChanged('a', start)
  const there = evidence.facts(atRest({ rotation, signer: signer(b, a) }))
  expect(there).toMatchObject({ nodes: { lacking: 1 }, previousNodes: { lacking: 0 } })
  const back = evidence.facts(atRest({ rotation, signer: signer(a, b) }))
  expect(back).toMatchObject({ nodes: { lacking: 0 }, previousNodes: { lacking: 1 } })
})
