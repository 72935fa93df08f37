import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { KubeObject, Resource } from '@machinist/core/objects/resource'
import { keyOf } from '@machinist/core/objects/resource'
import type { ConfigMap, Secret } from '@machinist/kube/kinds/core'
import { configMaps, secrets } from '@machinist/kube/kinds/core'
import { ignoreNotFound } from '@machinist/kube/failure'
import { readCertificate } from '@machinist/pki/certificate'
import type { KeyPair } from '@machinist/pki/issue'
import { createAuthority, issueCertificate } from '@machinist/pki/issue'
import type { RunningServer } from '@machinist/apiserver/running-server.fixture'
import { startServer } from '@machinist/apiserver/running-server.fixture'
import { makeWrite } from '../../../src/signer/rotation/act/make-write.ts'
import { StaleObject } from '../../../src/signer/rotation/act/store.ts'
import type { RotationWrite } from '../../../src/signer/rotation/decide/plan-certificates.ts'
import type { RotationObjects } from '../../../src/signer/rotation/facts/objects.ts'
import { certificateFacts } from '../../../src/signer/rotation/facts/certificate-facts.ts'
import { authorityOf } from '../../../src/signer/rotation/facts/read-secret.ts'
import { day, rotationOf, start } from '../../../src/signer/rotation/decide/decide-facts.fixture.ts'
import { makeNamespace, place } from './rotation-cluster.ts'

/*
 * The caches of a signer show a rotation from CA `old` to CA `young`. Then etcd is restored to the state before it, and the
 * signer, which keeps running, carries out what it has decided.
 */
const rotation = rotationOf()
const validity = { from: start, until: start + 365 * day }
const base64 = (text: string): string => Buffer.from(text).toString('base64')

let server: RunningServer
let old: KeyPair
let young: KeyPair
let leaf: KeyPair
/** As the caches have them. */
let found: RotationObjects

beforeAll(async () => {
  server = await startServer()
  await makeNamespace(server.client)
  old = await createAuthority({ name: 'keys_signer@1', validity, keyKind: 'ecdsa-p256' })
  young = await createAuthority({ name: 'keys_signer@2', validity, keyKind: 'ecdsa-p256' })
  const request = { commonName: 'one', usages: ['client' as const], validity }
  leaf = await issueCertificate(old, { ...request, keyKind: 'ecdsa-p256' })
})
afterAll(() => server[Symbol.asyncDispose]())

const signerWith = (current: KeyPair, previous?: KeyPair): Secret => ({
  metadata: place('signer'),
  type: 'kubernetes.io/tls',
  data: {
    'tls.crt': base64(current.certificate),
    'tls.key': base64(current.key),
    ...(previous && { 'previous.crt': base64(previous.certificate) }),
    ...(previous && { 'previous.key': base64(previous.key) }),
  },
})
const mapWith = (name: string, ...authorities: readonly KeyPair[]): ConfigMap => ({
  metadata: place(name),
  data: { 'ca-bundle.crt': authorities.map(({ certificate }) => certificate).join('') },
})
const targetWith = (name: string, key: string): Secret => ({
  metadata: place(name),
  type: 'kubernetes.io/tls',
  data: { 'tls.crt': base64(leaf.certificate), 'tls.key': base64(key) },
})

/** Writes an object, whatever is there. */
async function put<T extends KubeObject>(resource: Resource<T>, object: T): Promise<T> {
  const { client } = server
  const there = await ignoreNotFound(client.get(resource, keyOf(object)))
  return there ? client.replace(resource, object) : client.create(resource, object)
}

beforeEach(async () => {
  const kept = [
    await put(secrets, signerWith(young, old)),
    await put(secrets, targetWith('one', leaf.key)),
    await put(secrets, targetWith('two', leaf.key)),
  ]
  const maps = [
    await put(configMaps, mapWith('ca', old, young)),
    await put(configMaps, mapWith('client-ca', old, young)),
  ]
  const objects = {
    secret: ({ name }: { name: string }) => kept.find(({ metadata }) => metadata.name === name),
    configMap: ({ name }: { name: string }) => maps.find(({ metadata }) => metadata.name === name),
  }
  found = certificateFacts(rotation, objects, start + day).found
})

const restores = {
  "the signer's Secret": () => put(secrets, signerWith(old)),
  'the bundle': () => put(configMaps, mapWith('ca', old)),
  'the published bundle': () => put(configMaps, mapWith('client-ca', old)),
  'another target': () => put(secrets, targetWith('two', old.key)),
  'the absence of the bundle': () => server.client.remove(configMaps, place('ca')),
} as const

const authorities = (...pairs: readonly KeyPair[]): ReturnType<typeof authorityOf>[] =>
  pairs.map(({ certificate }) => authorityOf(readCertificate(certificate)))
const writes = {
  'issue a leaf certificate': (): RotationWrite => ({
    type: 'target',
    index: 0,
    action: 'issue',
    by: 'current',
    why: 'x',
  }),
  'rewrite the bundle': (): RotationWrite => ({
    type: 'bundle',
    authorities: authorities(young),
    own: [],
    why: 'x',
  }),
  'publish the bundle': (): RotationWrite => ({
    type: 'published',
    index: 0,
    authorities: authorities(old, young),
  }),
  'make a new CA': (): RotationWrite => ({
    type: 'signer',
    action: 'renew',
    keep: 'previous',
    name: 'keys_signer@3',
    why: 'x',
  }),
  'drop the previous CA': (): RotationWrite => ({
    type: 'signer',
    action: 'drop-previous',
    why: 'x',
  }),
} as const

const carryOut = (write: RotationWrite): Promise<RotationObjects> => {
  const { signal } = new AbortController()
  return makeWrite(write, { client: server.client, rotation, found, now: start + day, signal })
}

/** The versions of everything: the same after nothing was written. */
async function versions(): Promise<unknown[]> {
  const lists = [await server.client.list(secrets), await server.client.list(configMaps)]
  return lists.flatMap(({ items }) => items.map(({ metadata }) => metadata.resourceVersion))
}

it.each([
  ['issue a leaf certificate', "the signer's Secret"],
  ['issue a leaf certificate', 'the bundle'],
  ['issue a leaf certificate', 'the published bundle'],
  ['issue a leaf certificate', 'the absence of the bundle'],
  ['rewrite the bundle', "the signer's Secret"],
  ['rewrite the bundle', 'the bundle'],
  ['rewrite the bundle', 'another target'],
  ['publish the bundle', 'the bundle'],
  ['drop the previous CA', 'the bundle'],
  ['drop the previous CA', 'another target'],
  ['make a new CA', "the signer's Secret"],
  ['make a new CA', 'another target'],
] as const)('the signer does not %s after a restore of %s', async (what, restored) => {
  await restores[restored]()
  const before = await versions()
  await expect(carryOut(writes[what]())).rejects.toThrow(StaleObject)
  expect(await versions()).toEqual(before)
})

it.each(Object.keys(writes) as (keyof typeof writes)[])(
  'the signer does %s while the caches are right',
  async (what) => {
    const before = await versions()
    await carryOut(writes[what]())
    expect(await versions()).not.toEqual(before)
  },
)

it.each(['make a new CA', 'drop the previous CA', 'rewrite the bundle'] as const)(
  'the signer does not %s while the caches lack a target that is there',
  async (what) => {
    found = { ...found, targets: found.targets.with(1, undefined) }
    const before = await versions()
    await expect(carryOut(writes[what]())).rejects.toThrow(StaleObject)
    expect(await versions()).toEqual(before)
  },
)

it('the signer issues nothing with another CA of the same resourceVersion', async () => {
  const { data } = signerWith(old)
  found = { ...found, signer: { ...found.signer!, data: data! } }
  await expect(carryOut(writes['issue a leaf certificate']())).rejects.toThrow(StaleObject)
})

it('the signer issues a leaf certificate in the pass that wrote the bundle', async () => {
  found = await carryOut(writes['rewrite the bundle']())
  const { targets } = await carryOut(writes['issue a leaf certificate']())
  const chain = Buffer.from(targets[0]!.data!['tls.crt']!, 'base64').toString()
  expect(chain).toContain(young.certificate)
})
