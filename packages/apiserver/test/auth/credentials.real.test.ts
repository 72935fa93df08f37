import { createPublicKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { systemClock } from '@machinist/core/clock'
import { issueCertificate, validFor } from '@machinist/pki/issue'
import { describeOnRealCluster } from '@machinist/testing/clusters/real-cluster'
import { clientAuthority } from '@machinist/testing/clusters/start-cluster'
import { certificateUser } from '../../src/authentication/client-certificate.ts'
import { keyId, readJwt } from '../../src/authentication/jwt.ts'

describeOnRealCluster('what we and a real kube-apiserver make of credentials', (cluster) => {
  const post = (path: string, body: object, how: object): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const options = { method: 'POST', ca: readFileSync(cluster.caFile), agent: false, ...how }
      const sent = request(`${cluster.server}${path}`, options, (answer) => {
        let text = ''
        answer.setEncoding('utf8').on('data', (part: string) => (text += part))
        answer.on('end', () => resolve(JSON.parse(text) as Answer))
      })
      sent.on('error', reject)
      sent.setHeader('content-type', 'application/json')
      sent.end(JSON.stringify(body))
    })
  const whoAmI = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }
  const reviews = '/apis/authentication.k8s.io/v1/selfsubjectreviews'

  it('accepts a certificate issued by @machinist/pki', async () => {
    const authority = clientAuthority(cluster)
    const { certificate, key } = await issueCertificate(authority, {
      commonName: 'system:node:n1',
      organizations: ['system:nodes', 'a, b=c'],
      usages: ['client'],
      validity: validFor(systemClock, 600_000),
    })
    const answer = await post(reviews, whoAmI, { cert: certificate, key })
    const ours = certificateUser(
      new X509Certificate(certificate),
      [new X509Certificate(authority.certificate)],
      systemClock.now(),
    )
    expect(ours?.groups).toEqual(['system:nodes', 'a, b=c', 'system:authenticated'])
    expect(answer.status).toEqual({ userInfo: ours })
  })

  it('accepts a certificate with an intermediate CA, and rejects it without', async () => {
    const root = clientAuthority(cluster)
    const middle = root.issueAuthority('middle')
    const jane = middle.issueClient('jane', 'staff')
    const ours = (between: readonly string[]): unknown =>
      certificateUser(
        new X509Certificate(jane.certificate),
        [new X509Certificate(root.certificate)],
        systemClock.now(),
        between.map((pem) => new X509Certificate(pem)),
      )
    const theirs = async (between: readonly string[]): Promise<Answer> =>
      post(reviews, whoAmI, { cert: [jane.certificate, ...between].join(''), key: jane.key })
    const whole = await theirs([middle.certificate])
    expect(whole.status).toMatchObject({ userInfo: { username: 'jane' } })
    expect(whole.status).toEqual({ userInfo: ours([middle.certificate]) })
    expect(await theirs([])).toMatchObject({ code: 401 })
    expect(ours([])).toBeUndefined()
  })

  it('rejects an intermediate CA for servers only', async () => {
    const root = clientAuthority(cluster)
    const middle = root.issueAuthority('middle', 'serverAuth')
    const { certificate, key } = middle.issueClient('jane')
    const answer = await post(reviews, whoAmI, { cert: certificate + middle.certificate, key })
    expect(answer).toMatchObject({ code: 401 })
    const ours = certificateUser(
      new X509Certificate(certificate),
      [new X509Certificate(root.certificate)],
      systemClock.now(),
      [new X509Certificate(middle.certificate)],
    )
    expect(ours).toBeUndefined()
  })

  it('rejects a certificate that is not yet valid', async () => {
    const authority = clientAuthority(cluster)
    const from = systemClock.now() + 3_600_000
    const { certificate, key } = await issueCertificate(authority, {
      commonName: 'jane',
      usages: ['client'],
      validity: { from, until: from + 3_600_000 },
    })
    expect(await post(reviews, whoAmI, { cert: certificate, key })).toMatchObject({ code: 401 })
    const [leaf, root] = [certificate, authority.certificate].map((pem) => new X509Certificate(pem))
    expect(certificateUser(leaf!, [root!], systemClock.now())).toBeUndefined()
    expect(certificateUser(leaf!, [root!], from + 1000)?.username).toBe('jane')
  })

  it('issues tokens that this package verifies', async () => {
    const spec = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} }
    const headers = { authorization: `Bearer ${cluster.token}` }
    const account = '/api/v1/namespaces/default/serviceaccounts'
    await post(account, { metadata: { name: 'credentials-test' } }, { headers })
    const answer = await post(`${account}/credentials-test/token`, spec, { headers })
    const key = createPublicKey(readFileSync(join(cluster.directory, 'sa.pub')))
    const token = (answer.status as { token: string }).token
    expect(readJwt(token)?.isSignedBy([{ id: keyId(key), key }])).toBe(true)
  })
})

interface Answer {
  readonly code?: number
  readonly status?: unknown
}
