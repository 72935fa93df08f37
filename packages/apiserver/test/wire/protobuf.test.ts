import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { KubeObject } from '@machinist/core/objects/resource'
import { decodeProtobuf } from '../../src/protobuf/decode-protobuf.ts'
import { StatusError } from '../../src/status/status-error.ts'
import { recordedProtobuf } from './recorded.ts'

const { objects, requests } = recordedProtobuf()
const decode = (base64: string): unknown => decodeProtobuf(Buffer.from(base64, 'base64')).object

const nameOf = (json: unknown): string => {
  const { kind, metadata } = json as KubeObject
  return `${kind} ${metadata.name}`
}

describe('objects of a real kube-apiserver', () => {
  it('include every stored kind', () => {
    expect(new Set(objects.map(({ json }) => json.kind)).size).toBe(18)
  })

  it.each(objects.map((pair) => [nameOf(pair.json), pair] as const))(
    '%s equals its JSON',
    (_name, { protobuf, json }) => {
      expect(decode(protobuf)).toEqual(json)
    },
  )

  it('can have keys with a meaning in JavaScript', () => {
    const pair = objects.find(({ json }) => nameOf(json) === 'ConfigMap rich')!
    const { data } = decode(pair.protobuf) as { data: object }
    expect(Object.getOwnPropertyDescriptor(data, '__proto__')?.value).toBe('polluted')
    expect(Object.getPrototypeOf(data)).toBe(Object.prototype)
  })
})

describe('requests of a real kubectl', () => {
  const printed = requests.filter(({ json }) => json !== null)

  it.each(printed.map((request) => [request.command, request] as const))(
    '%s contains the object of --dry-run=client',
    (_command, { protobuf, json }) => {
      expect(decode(protobuf)).toEqual(json)
    },
  )

  const sent = (command: string): unknown =>
    decode(requests.find((request) => request.command.startsWith(command))!.protobuf)

  it('can contain a TokenRequest', () => {
    expect(sent('create token')).toEqual({
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      metadata: { creationTimestamp: null },
      spec: { audiences: ['somebody'], expirationSeconds: 1200, boundObjectRef: null },
      status: { token: '', expirationTimestamp: null },
    })
  })

  it('can contain a SelfSubjectAccessReview', () => {
    expect(sent('auth can-i get pods')).toEqual({
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      metadata: { creationTimestamp: null },
      spec: {
        resourceAttributes: {
          namespace: 'wire',
          verb: 'get',
          resource: 'pods',
          subresource: 'log',
        },
      },
      status: { allowed: false },
    })
    expect(sent('auth can-i get /healthz')).toMatchObject({
      spec: { nonResourceAttributes: { path: '/healthz', verb: 'get' } },
    })
    expect(sent('auth can-i --list')).toEqual({
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectRulesReview',
      metadata: { creationTimestamp: null },
      spec: { namespace: 'wire' },
      status: { resourceRules: null, nonResourceRules: null, incomplete: false },
    })
  })

  it('can contain a SelfSubjectReview', () => {
    expect(sent('auth whoami')).toEqual({
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'SelfSubjectReview',
      metadata: { creationTimestamp: null },
      status: { userInfo: {} },
    })
  })

  it('can contain an approval', () => {
    expect(sent('certificate approve')).toMatchObject({
      kind: 'CertificateSigningRequest',
      metadata: { name: 'rich' },
      spec: { signerName: 'example.com/signer', expirationSeconds: 7200 },
      status: { conditions: [{ type: 'Approved', status: 'True', lastTransitionTime: null }] },
    })
  })

  it('can contain a debugging pod for a node', () => {
    expect(sent('debug node/rich')).toMatchObject({
      kind: 'Pod',
      spec: {
        nodeName: 'rich',
        hostPID: true,
        containers: [{ name: 'debugger', resources: {}, terminationMessagePolicy: 'File' }],
        volumes: [{ name: 'host-root', hostPath: { path: '/' } }],
      },
      status: {},
    })
  })

  it('for an unknown kind get an error', () => {
    const failure = new StatusError(
      415,
      'UnsupportedMediaType',
      'kind "HorizontalPodAutoscaler" in version "autoscaling/v1" is not understood in protobuf: send application/json or application/yaml',
    )
    expect(() => sent('autoscale')).toThrow(failure)
  })
})

describe('damaged bodies', () => {
  const bodies = objects.map(({ protobuf }) => Buffer.from(protobuf, 'base64'))

  /** A StatusError or an object; anything else is a bug. */
  const outcome = (bytes: Uint8Array): number => {
    try {
      return decodeProtobuf(bytes).kind === '' ? 0 : 200
    } catch (error) {
      if (!(error instanceof StatusError)) throw error
      return error.code
    }
  }

  it('are rejected if truncated inside a field', () => {
    const whole = bodies[0]!
    // The envelope has two relevant fields: cut between them, it is an empty Namespace.
    const between = 4 + 2 + whole[5]!
    const lengths = Array.from({ length: whole.length - 6 }, (_, end) => end)
    const read = lengths.filter((end) => outcome(whole.subarray(0, end)) === 200)
    expect(read).toEqual([between])
    expect(decodeProtobuf(whole.subarray(0, between)).object).toEqual({
      apiVersion: 'v1',
      kind: 'Namespace',
    })
  })

  it('never throw other errors if bytes change', () => {
    const change = fc.record({
      body: fc.constantFrom(...bodies),
      changes: fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 8 }),
    })
    fc.assert(
      fc.property(change, ({ body, changes }) => {
        const bytes = Buffer.from(body)
        for (const [at, byte] of changes) bytes[at % bytes.length] = byte
        expect([200, 400, 415]).toContain(outcome(bytes))
      }),
      { numRuns: 2000 },
    )
  })
})
