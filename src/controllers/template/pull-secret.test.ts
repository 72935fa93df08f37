import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Secret } from '@machinist/kube/kinds/core'
import { pullSecretKey, readPullSecret } from './pull-secret.ts'

const key = { namespace: 'openshift-config', name: 'pull-secret' }
const secretOf = (text: string, type = 'kubernetes.io/dockerconfigjson'): Secret => ({
  metadata: key,
  type,
  data: { '.dockerconfigjson': Buffer.from(text).toString('base64') },
})

describe('the pull secret', () => {
  it('is JSON on one line', () => {
    const text = '{\n  "auths": { "quay.example": { "auth": "eDp5" } }\n}\n'
    expect(readPullSecret(key, secretOf(text))).toEqual({
      text: '{"auths":{"quay.example":{"auth":"eDp5"}}}',
    })
  })

  it('is empty if spec.pullSecret is not set', () => {
    expect(readPullSecret(pullSecretKey(undefined), undefined)).toEqual({ text: '' })
    expect(pullSecretKey({ name: 'x' })).toEqual({ namespace: 'openshift-config', name: 'x' })
  })

  it.each<[string, Secret | undefined, string, string]>([
    [
      'missing',
      undefined,
      'PullSecretMissing',
      'Secret openshift-config/pull-secret, which spec.pullSecret names, does not exist',
    ],
    [
      'of another type',
      secretOf('{}', 'Opaque'),
      'BadPullSecret',
      'Secret openshift-config/pull-secret has type Opaque, not kubernetes.io/dockerconfigjson',
    ],
    [
      'without its key',
      { ...secretOf(''), data: {} },
      'BadPullSecret',
      'Secret openshift-config/pull-secret has no .dockerconfigjson',
    ],
    [
      'not base64',
      { ...secretOf(''), data: { '.dockerconfigjson': '?' } },
      'BadPullSecret',
      '.dockerconfigjson of Secret openshift-config/pull-secret is not valid base64',
    ],
    [
      'not JSON',
      secretOf('{"auths": topsecret'),
      'BadPullSecret',
      '.dockerconfigjson of Secret openshift-config/pull-secret is not a JSON object',
    ],
    [
      'without credentials',
      secretOf('{"topsecret":1}'),
      'BadPullSecret',
      '.dockerconfigjson of Secret openshift-config/pull-secret has no object "auths"',
    ],
  ])('is a problem if it is %s', (_, secret, reason, message) => {
    expect(readPullSecret(key, secret)).toEqual({ problem: { reason, message } })
  })

  it('is never quoted in messages', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 40 }), (text) => {
        const read = readPullSecret(key, secretOf(`TOPSECRET${text}`))
        expect(JSON.stringify(read)).not.toContain('TOPSECRET')
      }),
    )
  })
})
