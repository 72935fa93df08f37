import { expect, it } from 'vitest'
import { causesOf } from '../support/causes.ts'
import { conformance } from '../support/conformance.ts'
import { configMap } from '../support/objects.ts'

const goodKey =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"
const sealed = 'Forbidden: field is immutable when `immutable` is set'

conformance('config maps and secrets', (on) => {
  it(
    '422: invalid keys',
    on(async ({ api, namespace }) => {
      const long = 'k'.repeat(254)
      for (const [key, reported] of [
        ['a b', goodKey],
        ['', goodKey],
        ['.', "must not be '.'"],
        ['..', "must not be '..'"],
        ['..a', "must not start with '..'"],
        [long, 'must be no more than 253 characters'],
      ] as const) {
        const path = `/api/v1/namespaces/${namespace}/configmaps`
        const made = await api.post(path, configMap('a', { [key]: 'x' }))
        expect(causesOf(made)).toEqual([`data[${key}]: Invalid value: "${key}": ${reported}`])
        const secret = { metadata: { name: 'a' }, data: { [key]: '' } }
        const kept = await api.post(`/api/v1/namespaces/${namespace}/secrets`, secret)
        expect(causesOf(kept)).toEqual([`data[${key}]: Invalid value: "${key}": ${reported}`])
      }
    }),
  )

  it(
    '422: a key in both data and binaryData',
    on(async ({ api, namespace }) => {
      const made = await api.post(`/api/v1/namespaces/${namespace}/configmaps`, {
        ...configMap('a', { both: 'x' }),
        binaryData: { both: 'AA==', 'x y': 'AA==' },
      })
      expect(causesOf(made)).toEqual([
        'data[both]: Invalid value: "both": duplicate of key present in binaryData',
        `binaryData[x y]: Invalid value: "x y": ${goodKey}`,
      ])
    }),
  )

  it(
    '422: the size of binary data is its decoded size',
    on(async ({ api, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      const bytes = (count: number): string => Buffer.alloc(count).toString('base64')
      const fits = { metadata: { name: 'fits' }, binaryData: { x: bytes(1024 * 1024) } }
      expect((await api.post(path, fits)).code).toBe(201)
      const secret = { metadata: { name: 'big' }, data: { x: bytes(1024 * 1024 + 1) } }
      const big = await api.post(`/api/v1/namespaces/${namespace}/secrets`, secret)
      expect(causesOf(big)).toEqual(['data: Too long: may not be more than 1048576 bytes'])
    }),
  )

  it(
    'immutable is permanent, and only for data',
    on(async ({ api, namespace }) => {
      const maps = `/api/v1/namespaces/${namespace}/configmaps`
      await api.post(maps, { ...configMap('a', { x: '1' }), immutable: true })
      const opened = await api.patch(`${maps}/a`, 'merge', {
        immutable: false,
        data: { x: '2' },
        binaryData: { b: 'AA==' },
      })
      expect(causesOf(opened)).toEqual([
        `immutable: ${sealed}`,
        `data: ${sealed}`,
        `binaryData: ${sealed}`,
      ])
      const labelled = await api.patch(`${maps}/a`, 'merge', { metadata: { labels: { a: 'b' } } })
      expect(labelled.code).toBe(200)
      const secrets = `/api/v1/namespaces/${namespace}/secrets`
      await api.post(secrets, { metadata: { name: 's' }, data: { a: 'MQ==' }, immutable: true })
      const changed = await api.patch(`${secrets}/s`, 'merge', {
        immutable: null,
        stringData: { a: '2' },
        type: 'x',
      })
      expect(causesOf(changed)).toEqual([
        'type: Invalid value: "x": field is immutable',
        `immutable: ${sealed}`,
        `data: ${sealed}`,
      ])
    }),
  )

  it(
    '422: well-known Secret types without their keys',
    on(async ({ api, namespace }) => {
      for (const [type, missing] of [
        ['tls', ['data[tls.crt]', 'data[tls.key]']],
        ['dockercfg', ['data[.dockercfg]']],
        ['dockerconfigjson', ['data[.dockerconfigjson]']],
        ['basic-auth', ['data[username]', 'data[password]']],
        ['ssh-auth', ['data[ssh-privatekey]']],
        ['service-account-token', ['metadata.annotations[kubernetes.io/service-account.name]']],
      ] as const) {
        const secret = { metadata: { name: 's' }, type: `kubernetes.io/${type}` }
        const made = await api.post(`/api/v1/namespaces/${namespace}/secrets`, secret)
        expect(causesOf(made)).toEqual(missing.map((field) => `${field}: Required value`))
      }
      const half = {
        metadata: { name: 's' },
        type: 'kubernetes.io/basic-auth',
        stringData: { username: '' },
      }
      expect((await api.post(`/api/v1/namespaces/${namespace}/secrets`, half)).code).toBe(201)
    }),
  )
})

conformance('leases', (on) => {
  it(
    '422: negative times and counts',
    on(async ({ api, namespace }) => {
      const path = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`
      const spec = { leaseDurationSeconds: 0, leaseTransitions: -1 }
      expect(causesOf(await api.post(path, { metadata: { name: 'l' }, spec }))).toEqual([
        'spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0',
        'spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0',
      ])
    }),
  )
})
