import { expect, it } from 'vitest'
import { toPem } from '@machinist/core/encoding/pem'
import { contextSpecific } from '@machinist/pki/der-writer'
import {
  derRequest,
  dns,
  extensionsIn,
  sanExtension,
  sanOf,
} from '@machinist/testing/certificates/kubelet-request'
import { createAuthority } from '@machinist/testing/certificates/tls'
import type { Answer, Api } from '../support/api.ts'
import { causesOf, goodLabel, goodSubdomain } from '../support/causes.ts'
import { certificateRequest, signingRequest } from '../support/certificate-request.ts'
import { conformance } from '../support/conformance.ts'

const requests = '/apis/certificates.k8s.io/v1/certificatesigningrequests'

function decide(api: Api, name: string, type: string): Promise<Answer> {
  const condition = { type, status: 'True', reason: 'Because', message: 'of a case' }
  return api.patch(`${requests}/${name}/approval`, 'merge', { status: { conditions: [condition] } })
}

conformance('certificate signing requests', (on) => {
  it(
    'record the requesting user',
    on(async ({ api, unique }) => {
      const requested = certificateRequest(unique) as { spec: object }
      const { code, body } = await api.post(requests, {
        ...requested,
        spec: { ...requested.spec, username: 'somebody-else', groups: ['others'] },
      })
      expect(code).toBe(201)
      expect(body.spec).toMatchObject({ groups: expect.arrayContaining(['system:authenticated']) })
      expect(body.spec['username']).not.toBe('somebody-else')
      expect(body.status).toEqual({})
    }),
  )

  it(
    '422: invalid requests',
    on(async ({ api, unique }) => {
      const { body } = await api.post(requests, {
        metadata: { name: unique },
        spec: {
          request: 'aGVsbG8=',
          signerName: 'bad',
          usages: ['client auth', 'client auth'],
        },
      })
      expect(body).toMatchObject({
        code: 422,
        details: {
          causes: [
            {
              reason: 'FieldValueInvalid',
              message:
                'Invalid value: []byte{0x68, 0x65, 0x6c, 0x6c, 0x6f}: PEM block type must be CERTIFICATE REQUEST',
              field: 'spec.request',
            },
            {
              reason: 'FieldValueDuplicate',
              message: 'Duplicate value: "client auth"',
              field: 'spec.usages[1]',
            },
            {
              reason: 'FieldValueInvalid',
              message:
                'Invalid value: "bad": must be a fully qualified domain and path of the form \'example.com/signer-name\'',
              field: 'spec.signerName',
            },
          ],
        },
      })
    }),
  )

  it(
    'are approved through /approval, permanently',
    on(async ({ api, unique }) => {
      await api.post(requests, certificateRequest(unique))
      const { code, body } = await decide(api, unique, 'Approved')
      expect(code).toBe(200)
      expect(body.status).toEqual({
        conditions: [
          {
            type: 'Approved',
            status: 'True',
            reason: 'Because',
            message: 'of a case',
            lastUpdateTime: expect.stringMatching(/Z$/),
            lastTransitionTime: expect.stringMatching(/Z$/),
          },
        ],
      })
      const denied = await decide(api, unique, 'Denied')
      expect(denied.body['message']).toBe(
        `CertificateSigningRequest.certificates.k8s.io "${unique}" is invalid: status.conditions: Forbidden: updates may not remove a condition of type "Approved"`,
      )
    }),
  )

  it(
    'only /approval changes decisions',
    on(async ({ api, unique }) => {
      await api.post(requests, certificateRequest(unique))
      const status = { conditions: [{ type: 'Approved', status: 'True', reason: 'x' }] }
      expect((await api.patch(`${requests}/${unique}`, 'merge', { status })).body.status).toEqual(
        {},
      )
      const onStatus = await api.patch(`${requests}/${unique}/status`, 'merge', { status })
      expect(onStatus.code).toBe(422)
    }),
  )

  it(
    'have an immutable spec',
    on(async ({ api, unique }) => {
      const made = await api.post(requests, certificateRequest(unique))
      const patch = { spec: { usages: ['client auth'] } }
      const { body } = await api.patch(`${requests}/${unique}`, 'merge', patch)
      expect(body.spec).toEqual(made.body.spec)
      expect(body.metadata.resourceVersion).toBe(made.body.metadata.resourceVersion)
    }),
  )

  it(
    'get their certificate through /status, once',
    on(async ({ api, unique }) => {
      await api.post(requests, certificateRequest(unique))
      await decide(api, unique, 'Approved')
      const issue = (pem: string): Promise<Answer> =>
        api.patch(`${requests}/${unique}/status`, 'merge', {
          status: { certificate: Buffer.from(pem).toString('base64') },
        })
      const garbage = await issue('hello')
      expect(garbage.body['message']).toBe(
        `CertificateSigningRequest.certificates.k8s.io "${unique}" is invalid: status.certificate: Invalid value: "<certificate data>": must contain at least one CERTIFICATE PEM block`,
      )
      const { certificate } = createAuthority('the case')
      const issued = await issue(certificate)
      expect(issued.code).toBe(200)
      expect(issued.body.status['certificate']).toBe(Buffer.from(certificate).toString('base64'))
      const again = await issue(createAuthority('another').certificate)
      expect(again.code).toBe(422)
    }),
  )

  it(
    'record the impersonated user with all fields',
    on(async ({ api, unique }) => {
      const { code, body } = await api.post(requests, certificateRequest(unique), {
        'impersonate-user': 'jane',
        'impersonate-uid': 'u-1',
        'impersonate-group': 'system:masters',
        'impersonate-extra-scopes': 'view',
      })
      expect(code).toBe(201)
      expect(body.spec).toMatchObject({
        username: 'jane',
        uid: 'u-1',
        groups: ['system:masters', 'system:authenticated'],
        extra: { scopes: ['view'] },
      })
    }),
  )

  it(
    '422: an empty spec',
    on(async ({ api, unique }) => {
      expect(causesOf(await api.post(requests, { metadata: { name: unique } }))).toEqual([
        'spec.request: Invalid value: []byte(nil): PEM block type must be CERTIFICATE REQUEST',
        'spec.usages: Required value',
        'spec.signerName: Required value',
      ])
    }),
  )

  it(
    '422: invalid usages, signers and durations',
    on(async ({ api, unique }) => {
      const error = async (spec: object): Promise<string[]> =>
        causesOf(await api.post(requests, asking(unique, spec)))
      expect(await error({ usages: ['bogus'] })).toEqual([
        'spec.usages[0]: Unsupported value: "bogus": supported values: "any", "cert sign", "client auth", "code signing", "content commitment", "crl sign", "data encipherment", "decipher only", "digital signature", "email protection", "encipher only", "ipsec end system", "ipsec tunnel", "ipsec user", "key agreement", "key encipherment", "microsoft sgc", "netscape sgc", "ocsp signing", "s/mime", "server auth", "signing", "timestamping"',
      ])
      expect(await error({ expirationSeconds: 599 })).toEqual([
        'spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 600 seconds (10 minutes)',
      ])
      const invalid = 'spec.signerName: Invalid value'
      const lonely = 'should be a domain with at least two segments separated by dots'
      const form = "must be a fully qualified domain and path of the form 'example.com/signer-name'"
      for (const [signerName, reported] of [
        [
          'kubernetes.io/legacy-unknown',
          [
            `${invalid}: "kubernetes.io/legacy-unknown": the legacy signerName is not allowed via this API version`,
          ],
        ],
        ['com/x', [`${invalid}: "com": ${lonely}`]],
        ['example.com/a/b', [`${invalid}: "example.com/a/b": ${form}`]],
        ['Example.com/a', [`${invalid}: "Example.com": validating label "Example": ${goodLabel}`]],
        ['example.com/A', [`${invalid}: "A": validating label "A": ${goodSubdomain}`]],
        ['/x', [`${invalid}: "": validating label "": ${goodLabel}`, `${invalid}: "": ${lonely}`]],
        [
          `${'x'.repeat(63)}.${'y.'.repeat(100)}com/a`,
          ['spec.signerName: Too long: may not be more than 253 bytes'],
        ],
      ] as const) {
        expect(await error({ signerName })).toEqual(reported)
      }
    }),
  )

  it(
    '422: requests with an invalid signature',
    on(async ({ api, unique }) => {
      const der = derOf(signingRequest('/CN=someone'))
      const flipped = Buffer.from(der)
      flipped[flipped.length - 5]! ^= 1
      const name = sanExtension(sanOf([dns('n1')]))
      const twice = derRequest({ attributes: contextSpecific(0, extensionsIn([name, name])) })
      for (const [pem, reported] of [
        [toPem('CERTIFICATE', der), 'PEM block type must be CERTIFICATE REQUEST'],
        [toPem('NEW CERTIFICATE REQUEST', der), 'PEM block type must be CERTIFICATE REQUEST'],
        [toPem(label, der.subarray(0, 50)), 'asn1: syntax error: data truncated'],
        [toPem(label, Buffer.concat([der, Buffer.alloc(2)])), 'asn1: syntax error: trailing data'],
        [toPem(label, flipped), 'x509: ECDSA verification failure'],
        [toPem(label, twice), 'x509: certificate request contains duplicate requested extensions'],
      ] as const) {
        const request = Buffer.from(pem).toString('base64')
        const [cause, ...more] = causesOf(await api.post(requests, asking(unique, { request })))
        expect(cause).toMatch(/^spec\.request: Invalid value: \[\]byte\{0x2d, .*\}: /)
        expect(cause?.split('}: ')[1]).toBe(reported)
        expect(more).toEqual([])
      }
    }),
  )

  it(
    'accept all supported key types',
    on(async ({ api, unique }) => {
      for (const [kind, ...key] of [
        ['rsa', 'rsa:2048'],
        ['ed25519', 'ed25519'],
        ['p384', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-384'],
        ['p521', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-521'],
      ] as const) {
        const request = signingRequest('/CN=x', key)
        const made = await api.post(requests, asking(`${unique}-${kind}`, { request }))
        expect(`${kind} ${made.code}`).toBe(`${kind} 201`)
      }
      const request = signingRequest('/CN=x', ['ec', '-pkeyopt', 'ec_paramgen_curve:secp256k1'])
      const [cause] = causesOf(await api.post(requests, asking(unique, { request })))
      expect(cause).toMatch(/: x509: unsupported elliptic curve$/)
    }),
  )

  it(
    '422: invalid decisions',
    on(async ({ api, unique }) => {
      await api.post(requests, certificateRequest(unique))
      const decideAll = async (...conditions: object[]): Promise<string[]> =>
        causesOf(
          await api.patch(`${requests}/${unique}/approval`, 'merge', { status: { conditions } }),
        )
      const approved = { type: 'Approved', status: 'True' }
      expect(await decideAll(approved, { type: 'Denied', status: 'True' })).toEqual([
        'status.conditions[1].type: Invalid value: "Denied": Approved and Denied conditions are mutually exclusive',
      ])
      expect(await decideAll({ type: 'Approved', status: 'False' })).toEqual([
        'status.conditions[0].status: Unsupported value: "False": supported values: "True"',
      ])
      expect(await decideAll({ type: 'Approved' })).toEqual([
        'status.conditions[0].status: Required value',
      ])
      expect(
        await decideAll(
          { type: 'Other', status: 'Maybe' },
          { status: 'True' },
          { type: 'Other', status: 'True' },
        ),
      ).toEqual([
        'status.conditions[0].status: Unsupported value: "Maybe": supported values: "False", "True", "Unknown"',
        'status.conditions[1].type: Required value',
        'status.conditions[2].type: Duplicate value: "Other"',
      ])
    }),
  )

  it(
    'a signer sets the Failed condition and keeps the decision',
    on(async ({ api, unique }) => {
      await api.post(requests, certificateRequest(unique))
      await decide(api, unique, 'Approved')
      const say = (...conditions: object[]): Promise<Answer> =>
        api.patch(`${requests}/${unique}/status`, 'merge', { status: { conditions } })
      const failed = { type: 'Failed', status: 'True', reason: 'r' }
      const kept = await say({ type: 'Approved', status: 'True', reason: 'Otherwise' }, failed)
      expect(kept.body.status['conditions']).toMatchObject([
        { type: 'Approved', status: 'True', reason: 'Because', message: 'of a case' },
        { ...failed, lastUpdateTime: expect.stringMatching(/Z$/) },
      ])
      expect(causesOf(await say(failed))).toEqual([
        'status.conditions: Forbidden: updates may not remove a condition of type "Approved"',
      ])
      expect(causesOf(await say({ type: 'Approved', status: 'True' }))).toEqual([
        'status.conditions: Forbidden: updates may not remove a condition of type "Failed"',
      ])
    }),
  )

  it(
    '422: invalid certificates',
    on(async ({ api, unique }) => {
      await api.post(requests, certificateRequest(unique))
      const { certificate } = createAuthority('the case')
      const der = derOf(Buffer.from(certificate).toString('base64'))
      const error = async (pem: string): Promise<string[]> =>
        causesOf(
          await api.patch(`${requests}/${unique}/status`, 'merge', {
            status: { certificate: Buffer.from(pem).toString('base64') },
          }),
        )
      const invalid = 'status.certificate: Invalid value: "<certificate data>"'
      expect(await error(toPem(label, der))).toEqual([
        `${invalid}: only CERTIFICATE PEM blocks are allowed, found "CERTIFICATE REQUEST"`,
      ])
      expect(await error(toPem('CERTIFICATE', Buffer.from('hello')))).toEqual([
        `${invalid}: x509: malformed certificate`,
      ])
      expect(await error(certificate.replace('-----\n', '-----\nA: b\n\n'))).toEqual([
        `${invalid}: no PEM block headers are permitted`,
      ])
      expect(await error(toPem('CERTIFICATE', Buffer.concat([der, der])))).toEqual(['200'])
    }),
  )

  it(
    '403: approving and signing require their own permissions',
    on(async ({ api, unique }) => {
      await api.post(requests, certificateRequest(unique))
      const rights = '/apis/rbac.authorization.k8s.io/v1'
      const name = `signs-${unique}`
      const group = 'certificates.k8s.io'
      const resources = ['approval', 'status'].map((part) => `certificatesigningrequests/${part}`)
      const rule = { apiGroups: [group], resources, verbs: ['patch'] }
      await api.post(`${rights}/clusterroles`, { metadata: { name }, rules: [rule] })
      await api.post(`${rights}/clusterrolebindings`, {
        metadata: { name },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
        subjects: [{ kind: 'User', name: unique, apiGroup: 'rbac.authorization.k8s.io' }],
      })
      const patched = async (part: string, status: object): Promise<string> => {
        const { code, body } = await api.ask(`${requests}/${unique}/${part}`, {
          method: 'PATCH',
          body: { status },
          headers: {
            'content-type': 'application/merge-patch+json',
            'impersonate-user': unique,
          },
        })
        return code === 200 ? '200' : String(body['message'])
      }
      const approve = { conditions: [{ type: 'Approved', status: 'True' }] }
      const fail = { conditions: [...approve.conditions, { type: 'Failed', status: 'True' }] }
      const what = `certificatesigningrequests.certificates.k8s.io "${unique}" is forbidden`
      const may = (verb: string): string =>
        `${what}: user not permitted to ${verb} requests with signerName "example.org/tester"`
      const timeouts = { timeout: 30_000 }
      await expect.poll(() => patched('approval', approve), timeouts).toBe(may('approve'))
      expect(await patched('status', {})).toBe('200')
      const signers = {
        apiGroups: [group],
        resources: ['signers'],
        resourceNames: ['example.org/*'],
        verbs: ['approve'],
      }
      await api.patch(`${rights}/clusterroles/${name}`, 'merge', { rules: [rule, signers] })
      await expect.poll(() => patched('approval', approve), timeouts).toBe('200')
      expect(await patched('status', fail)).toBe(may('sign'))
    }),
  )

  it(
    '403: requests for the group system:masters',
    on(async ({ api, unique }) => {
      const spec = {
        request: signingRequest('/O=system:masters/CN=someone'),
        signerName: 'kubernetes.io/kube-apiserver-client',
        usages: ['client auth'],
      }
      const { body } = await api.post(requests, asking(unique, spec))
      expect(body).toMatchObject({
        code: 403,
        message: `certificatesigningrequests.certificates.k8s.io "${unique}" is forbidden: use of kubernetes.io/kube-apiserver-client signer with system:masters group is not allowed`,
      })
      const other = { ...spec, request: signingRequest('/O=others/CN=someone') }
      expect((await api.post(requests, asking(unique, other))).code).toBe(201)
    }),
  )
})

const label = 'CERTIFICATE REQUEST'

function asking(name: string, spec: object): object {
  const requested = certificateRequest(name) as { spec: object }
  return { ...requested, spec: { ...requested.spec, ...spec } }
}

const derOf = (encoded: string): Buffer => {
  const pem = Buffer.from(encoded, 'base64').toString()
  const lines = pem.split('\n').filter((line) => !line.startsWith('-----'))
  return Buffer.from(lines.join(''), 'base64')
}
