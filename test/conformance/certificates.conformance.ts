import { expect, it } from 'vitest'
import { createAuthority } from '../support/tls.ts'
import type { Answer, Api } from './api.ts'
import { certificateRequest } from './certificate-request.ts'
import { conformance } from './conformance.ts'

const requests = '/apis/certificates.k8s.io/v1/certificatesigningrequests'

function decide(api: Api, name: string, type: string): Promise<Answer> {
  const condition = { type, status: 'True', reason: 'Because', message: 'of a case' }
  return api.patch(`${requests}/${name}/approval`, 'merge', { status: { conditions: [condition] } })
}

conformance('certificate signing requests', (on) => {
  it(
    'remember who asked',
    on(async ({ api, unique }) => {
      const asked = certificateRequest(unique) as { spec: object }
      const { code, body } = await api.post(requests, {
        ...asked,
        spec: { ...asked.spec, username: 'somebody-else', groups: ['others'] },
      })
      expect(code).toBe(201)
      expect(body.spec).toMatchObject({ groups: expect.arrayContaining(['system:authenticated']) })
      expect(body.spec['username']).not.toBe('somebody-else')
      expect(body.status).toEqual({})
    }),
  )

  it(
    '422: what is wrong with them',
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
    'are approved on their own path, for good',
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
    'nothing but approval decides them',
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
    'never change what they ask for',
    on(async ({ api, unique }) => {
      const made = await api.post(requests, certificateRequest(unique))
      const patch = { spec: { usages: ['client auth'] } }
      const { body } = await api.patch(`${requests}/${unique}`, 'merge', patch)
      expect(body.spec).toEqual(made.body.spec)
      expect(body.metadata.resourceVersion).toBe(made.body.metadata.resourceVersion)
    }),
  )

  it(
    'get their certificate on /status, once',
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
})
