import { describe, expect, it } from 'vitest'
import type { AuditedRequest } from '@machinist/apiserver/http/messages/audit'
import { summarizeRotation } from './summarize-rotation.ts'

const observations = {
  authority: { commonName: 'signer@2', fingerprint: 'ab' },
  missed: undefined,
  issuerOnly: { seconds: 2, rotated: false, filesWritten: 0 },
  newConfigs: [],
  span: { from: 1000, until: 3000 },
  end: { phase: 'Completed', laggards: [], holdingOld: 0 },
  nodes: [
    {
      name: 'worker-0',
      pool: 'worker',
      paused: false,
      trusts: true,
      seconds: 1,
      written: ['/etc/kubernetes/kubelet-ca.crt'],
      removed: [],
      notes: [],
      services: { daemonReloads: 0, services: [], reboots: 0 },
      cordons: 0,
      drains: 0,
    },
  ],
}

const request: AuditedRequest = {
  auditId: 'x',
  receivedAt: 2000,
  endedAt: 9000,
  verb: 'get',
  uri: '/',
  userAgent: 'machinist/1 (worker-0)',
  sourceIP: '',
  code: 200,
}

describe('one rotation', () => {
  it('combines observations with records from the trigger to the end', () => {
    const at = (time: number) => ({
      at: time,
      node: 'worker-0',
      message: 'update applied',
      fields: {},
    })
    const rotation = summarizeRotation(observations, {
      requests: [request, { ...request, receivedAt: 999 }],
      lines: [at(999), at(2500), at(3001)],
    })
    expect(rotation).toEqual({
      authority: observations.authority,
      issuerOnly: observations.issuerOnly,
      newConfigs: [],
      end: observations.end,
      controllerConfigWrites: 0,
      evictions: 0,
      nodes: [
        {
          ...observations.nodes[0],
          syncs: 1,
          requests: { reads: 1, writes: 0 },
          log: [{ seconds: 1.5, message: 'update applied', fields: {} }],
        },
      ],
    })
  })

  it('of a node without records has zeros', () => {
    const { nodes, ...rotation } = summarizeRotation(
      { ...observations, authority: undefined, missed: 'something' },
      { requests: [], lines: [] },
    )
    expect(rotation).not.toHaveProperty('authority')
    expect(rotation).toHaveProperty('missed', 'something')
    expect(nodes[0]).toMatchObject({ syncs: 0, requests: { reads: 0, writes: 0 }, log: [] })
  })
})
