import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { RequestParts } from '@machinist/testing/certificates/kubelet-request'
import {
  bootstrapper,
  clientSigner,
  derRequest,
  dns,
  extensionsIn,
  ip,
  nodeItself,
  opensslRequest,
  pemOf,
  requestObject,
  sanExtension,
  sanOf,
  servingSigner,
  subjectOf,
} from '@machinist/testing/certificates/kubelet-request'
import { toPem } from '@machinist/core/encoding/pem'
import type { CertificateSigningRequest } from '@machinist/kube/kinds/certificates'
import * as der from '@machinist/pki/der-writer'
import { readClaim } from './claim.ts'

type Spec = Partial<CertificateSigningRequest['spec']>

const asClient = (pem: string, spec: Spec = bootstrapper): unknown =>
  readClaim(requestObject(pem, clientSigner, spec))
const asServer = (pem: string, spec: Spec = nodeItself('n1')): unknown =>
  readClaim(requestObject(pem, servingSigner, spec))
const made = (parts: RequestParts): string => pemOf(derRequest(parts))

const subject = '/O=system:nodes/CN=system:node:n1'
const client = opensslRequest(subject)
const serving = opensslRequest(subject, 'DNS:N1.example.com,IP:10.0.0.1,IP:fd00:0:0::1')

const refusal = (check: string, why: string): object => ({ check, why, isFinal: true })

describe('a well-formed request', () => {
  it('of a bootstrapper lets a node join', () => {
    expect(asClient(client)).toEqual({ kind: 'join', node: 'n1', names: [] })
  })

  it("of OpenShift's service account lets a node join", () => {
    const username = 'system:serviceaccount:openshift-machine-config-operator:node-bootstrapper'
    const groups = ['system:serviceaccounts:openshift-machine-config-operator']
    expect(asClient(client, { username, groups })).toMatchObject({ kind: 'join' })
    expect(asClient(client, { username, groups: [] })).toMatchObject({ check: 'Requester' })
  })

  it('of a node renews its certificate', () => {
    expect(asClient(client, nodeItself('n1'))).toEqual({ kind: 'renewal', node: 'n1', names: [] })
  })

  it('of a node may be for a serving certificate', () => {
    expect(asServer(serving)).toEqual({
      kind: 'serving',
      node: 'n1',
      names: ['dns:n1.example.com', 'ip:10.0.0.1', 'ip:fd00::1'],
    })
  })

  it('with an RSA key may request key encipherment', () => {
    const usages = ['key encipherment', 'digital signature', 'client auth']
    expect(asClient(client, { ...bootstrapper, usages })).toMatchObject({ kind: 'join' })
  })

  it('may contain an IPv4-mapped IPv6 address', () => {
    const mapped = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 10, 0, 0, 1]
    expect(asServer(made({ names: [ip(...mapped)] }))).toMatchObject({ names: ['ip:10.0.0.1'] })
  })
})

describe('an unreadable request', () => {
  const notPlain = refusal(
    'Unreadable',
    'the request is not one plain PEM block "CERTIFICATE REQUEST"',
  )

  it.each([
    ['nothing', ''],
    ['no PEM', 'hello'],
    ['another kind of block', client.replaceAll('CERTIFICATE REQUEST', 'CERTIFICATE')],
    ['another label of the same block', client.replaceAll('CERTIFICATE', 'NEW CERTIFICATE')],
    ['two blocks', client + serving],
    ['text before it', `hello\n${client}`],
    ['headers', client.replace('-----\n', '-----\nA: b\n\n')],
    ['a broken block before a good one', client.replace('MII', '') + client],
    ['lines of another length', client.replace(/([^-])\n([^-])/, '$1$2')],
  ])('%s', (_name, pem) => {
    expect(asClient(pem)).toEqual(notPlain)
  })

  it('does not include one with CRLF line ends', () => {
    expect(asClient(client.replaceAll('\n', '\r\n'))).toMatchObject({ kind: 'join' })
  })

  it('is one with an invalid signature', () => {
    const forged = Buffer.from(
      Buffer.from(derRequest({})).toString('latin1').replace('node:n1', 'node:n2'),
      'latin1',
    )
    expect(asClient(pemOf(forged))).toEqual(
      refusal('Unreadable', 'invalid certificate request: x509: ECDSA verification failure'),
    )
  })

  it.each([
    ['email:a@b.c', 'email'],
    ['URI:https://n1', 'url'],
  ])('is one with other name types: %s', (names, kind) => {
    expect(asServer(opensslRequest(subject, names))).toEqual(
      refusal('Unreadable', `alternative names of type ${kind} are not supported`),
    )
  })

  it('is one with ambiguous extensions', () => {
    const [good, evil] = [sanOf([dns('n1')]), sanOf([dns('kubernetes.default.svc')])]
    const twice = made({
      attributes: der.contextSpecific(0, extensionsIn([sanExtension(evil), sanExtension(good)])),
    })
    expect(asServer(twice)).toMatchObject({
      why: expect.stringContaining('contains duplicate requested extensions'),
    })
    const apart = made({
      attributes: der.contextSpecific(
        0,
        extensionsIn([sanExtension(evil)]),
        extensionsIn([sanExtension(good)]),
      ),
    })
    expect(asServer(apart)).toMatchObject({ check: 'Unreadable' })
    const twoValues = made({
      attributes: der.contextSpecific(0, extensionsIn([sanExtension(evil, good)])),
    })
    expect(asServer(twoValues)).toMatchObject({
      why: expect.stringContaining('malformed extension'),
    })
    // Signers read the first list.
    const twoLists = made({
      attributes: der.contextSpecific(0, extensionsIn([sanExtension(evil)], [sanExtension(good)])),
    })
    expect(asServer(twoLists)).toMatchObject({ check: 'AlternativeNames' })
  })
})

describe('a subject that is not a node', () => {
  const [org, name] = subjectOf('n1')

  it.each([
    ['another user', [org, ['2.5.4.3', 'kubernetes-admin']], '"kubernetes-admin"'],
    ['no name', [org], '""'],
    ['an empty node', [org, ['2.5.4.3', 'system:node:']], '"system:node:"'],
    ['an invalid Node name', [org, ['2.5.4.3', 'system:node:A b']], '"system:node:A b"'],
  ] as const)('%s', (_name, parts, shown) => {
    expect(asClient(made({ subject: parts as RequestParts['subject'] & object }))).toEqual(
      refusal('Subject', `its common name ${shown} is not system:node:<node>`),
    )
  })

  it.each([
    ['none', [name], 'none'],
    ['another', [['2.5.4.10', 'system:masters'], name], '"system:masters"'],
    ['one more', [org, ['2.5.4.10', 'system:masters'], name], '"system:nodes", "system:masters"'],
  ] as const)('organizations: %s', (_name, parts, shown) => {
    expect(asClient(made({ subject: parts as RequestParts['subject'] & object }))).toEqual(
      refusal('Subject', `its organization must be only system:nodes, and is ${shown}`),
    )
  })

  it('has other attributes than a name and an organization', () => {
    expect(asClient(made({ subject: [...subjectOf('n1'), ['2.5.4.11', 'unit']] }))).toEqual(
      refusal('Subject', 'its subject has the attribute 2.5.4.11, which nodes do not have'),
    )
    expect(asClient(made({ subject: [['2.5.4.3', 'admin'], ...subjectOf('n1')] }))).toEqual(
      refusal('Subject', 'its subject has more than one common name'),
    )
  })
})

describe('key usages', () => {
  it.each([
    [['client auth'], '"client auth"'],
    [['digital signature', 'server auth'], '"digital signature", "server auth"'],
    [
      ['digital signature', 'client auth', 'cert sign'],
      '"digital signature", "client auth", "cert sign"',
    ],
    [[], 'none'],
  ])('of a client certificate are not %s', (usages, shown) => {
    expect(asClient(client, { ...bootstrapper, usages })).toEqual(
      refusal(
        'Usages',
        `its usages must be digital signature and client auth, optionally key encipherment, and are ${shown}`,
      ),
    )
  })

  it('of a serving certificate do not include client auth', () => {
    const usages = ['digital signature', 'server auth', 'client auth']
    expect(asServer(serving, { ...nodeItself('n1'), usages })).toMatchObject({ check: 'Usages' })
  })
})

describe('alternative names', () => {
  it('are refused for client certificates', () => {
    expect(asClient(serving)).toEqual(
      refusal(
        'AlternativeNames',
        'a client certificate has no alternative names, and it requests "N1.example.com"',
      ),
    )
  })

  it('are required for serving certificates', () => {
    expect(asServer(client)).toEqual(
      refusal('AlternativeNames', 'it requests no name to serve under'),
    )
  })

  it.each([
    'DNS:kubernetes',
    'DNS:kubernetes.default',
    'DNS:api.shop.svc',
    'DNS:Kubernetes.Default.Svc.Cluster.Local',
    'DNS:localhost',
    'DNS:*.example.com',
    'IP:127.0.0.1',
    'IP:::1',
    'IP:0.0.0.0',
  ])('%s is never the name of one node', (name) => {
    const why = `"${name.replace(/^\w+:/, '')}" is never the name of one node`
    expect(asServer(opensslRequest(subject, `DNS:n1,${name}`))).toEqual(
      refusal('AlternativeNames', why),
    )
  })
})

describe('a requester', () => {
  it.each([
    ['another node', nodeItself('n2'), 'system:node:n2'],
    ['a node out of its group', { username: 'system:node:n1', groups: [] }, 'system:node:n1'],
    ['an administrator', { username: 'admin', groups: ['system:masters'] }, 'admin'],
    ['an empty user', {}, ''],
  ])('is not %s', (_name, spec, shown) => {
    expect(asClient(client, spec)).toEqual(
      refusal(
        'Requester',
        `only the node itself or a bootstrapper may request a certificate for n1, and "${shown}" does`,
      ),
    )
  })

  it('of a serving certificate is not a bootstrapper', () => {
    expect(asServer(serving, bootstrapper)).toEqual(
      refusal(
        'Requester',
        'only the node itself may request a certificate for n1, and "system:bootstrap:abcdef" does',
      ),
    )
  })
})

describe('any input', () => {
  const bytesOf = fc.oneof(
    fc.uint8Array({ maxLength: 400 }),
    // A real request with a changed byte, or cut.
    fc.tuple(fc.nat(), fc.nat(255), fc.nat()).map(([at, byte, cut]) => {
      const bytes = Uint8Array.from(derRequest({ names: [dns('n1'), ip(10, 0, 0, 1)] }))
      bytes[at % bytes.length] = byte
      return cut % 3 === 0 ? bytes.subarray(0, cut % bytes.length) : bytes
    }),
  )

  const signed = { node: 'n1', names: ['dns:n1', 'ip:10.0.0.1'] }

  it('of bytes does not throw, and yields no claim that was not signed', () => {
    fc.assert(
      fc.property(bytesOf, fc.constantFrom(clientSigner, servingSigner), (bytes, signer) => {
        const spec = signer === servingSigner ? nodeItself('n1') : bootstrapper
        const read = readClaim(requestObject(pemOf(bytes), signer, spec))
        const { names, node } = 'check' in read ? signed : read
        expect({ names, node }).toEqual(signed)
      }),
      { numRuns: 300 },
    )
  })

  it('of text does not throw', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii' }), fc.base64String(), (pem, raw) => {
        expect(readClaim(requestObject(pem, clientSigner))).toMatchObject({ check: 'Unreadable' })
        const spec = { request: raw }
        expect(readClaim(requestObject('', clientSigner, spec))).toMatchObject({
          check: 'Unreadable',
        })
        expect(asClient(toPem('CERTIFICATE REQUEST', Buffer.from(pem)))).toMatchObject({
          check: 'Unreadable',
        })
      }),
      { numRuns: 100 },
    )
  })

  it('of names never loses one', () => {
    const name = fc.tuple(fc.nat(255), fc.uint8Array({ maxLength: 20 }))
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 4 }), (names) => {
        const read = readClaim(requestObject(made({ names }), servingSigner, nodeItself('n1')))
        expect('check' in read ? names : read.names).toHaveLength(names.length)
      }),
      { numRuns: 200 },
    )
  })
})
