import type { ObjectKey } from '@machinist/core/objects/resource'
import type { ConfigMap, Secret } from '@machinist/kube/kinds/core'
import type { Certificate } from '@machinist/pki/certificate'
import type { KeyPair } from '@machinist/pki/issue'
import { isDamaged } from '@machinist/pki/renewal'
import { ownSignerAnnotations } from '../../../api/annotations.ts'
import { signerKeys } from '../../../api/names.ts'
import type { Rotation } from '../../../fleet/rotation/rotation-spec.ts'
import type { UserDataRecord } from '../../../fleet/rotation/user-data-record.ts'
import { readUserDataRecord } from '../../../fleet/rotation/user-data-record.ts'
import { certificateMetadataOf } from './certificate-metadata.ts'
import type { CertificateFacts, SignerFacts, TargetFacts } from './facts.ts'
import { leafFacts } from './leaf.ts'
import type { ObjectLister, RotationObjects } from './objects.ts'
import { once } from './once.ts'
import type { ReadConfigMap } from './read-bundle.ts'
import { readConfigMap } from './read-bundle.ts'
import type { ReadPair } from './read-secret.ts'
import { authorityIn, readCurrentPair, readPreviousPair } from './read-secret.ts'

export interface FoundCertificates {
  readonly facts: Omit<CertificateFacts, 'nodes' | 'previousNodes'>
  readonly found: RotationObjects
}

/**
 * Reads the facts from the caches; each state of an object is parsed once. `isManagedBundle` matches the ConfigMaps that
 * another rotation creates if they are missing.
 */
export function certificateFacts(
  rotation: Rotation,
  objects: ObjectLister,
  now: number,
  isManagedBundle: (configMap: ObjectKey) => boolean = () => false,
): FoundCertificates {
  const signer = objects.secret(rotation.signer)
  const bundle = objects.configMap(rotation.bundle)
  const published = rotation.publishedIn.map((place) => ({
    key: { namespace: place.namespace!, name: place.name },
    object: objects.configMap(place),
    inputs: place.with.flatMap((key) => {
      const object = objects.configMap(key)
      return object ? [{ key, read: once(readMap, object) }] : []
    }),
    awaited: place.with.find((key) => isEmpty(objects.configMap(key)) && isManagedBundle(key)),
  }))
  const targets = rotation.targets.map((target) => objects.secret(target))
  const userData = rotation.userData && objects.configMap(rotation.userData)
  const current = signer && once(readCurrentPair, signer)
  const previous = signer && once(readPreviousPair, signer)
  const readBundle = bundle && once(readOwnMap, bundle)
  // If two CAs have the same key, the current one counts as the signer.
  const known = [
    ...[current, previous].flatMap((pair) => (pair && !isDamaged(pair) ? [pair.certificate] : [])),
    ...certificatesIn(readBundle),
    ...published.flatMap(({ object, inputs }) => [
      ...certificatesIn(object && once(readMap, object)),
      ...inputs.flatMap(({ read }) => certificatesIn(read)),
    ]),
    ...targets.flatMap((target) => chainOf(target && once(readCurrentPair, target))),
  ]
  const certificates = new Map(known.map((each) => [each.fingerprint, each]))
  const signers = [...certificates.values()].filter(({ isCa }) => isCa)
  return {
    facts: {
      rotation,
      now,
      signer: signer && signerFacts(signer, current!, previous!),
      bundle: readBundle?.facts,
      published: published.map(({ key, object, inputs, awaited }) => ({
        key,
        ...(awaited && { awaited }),
        ...(object && { found: once(readMap, object).facts }),
        inputs: inputs.map((input) => ({ key: input.key, bundle: input.read.facts })),
      })),
      targets: targets.map((target, i): TargetFacts | undefined => {
        if (!target) return undefined
        const read = once(readCurrentPair, target)
        return {
          metadata: certificateMetadataOf(target.metadata),
          leaf: isDamaged(read) ? read : leafFacts(read.certificate, rotation.targets[i]!, signers),
        }
      }),
      ...(userData && { userData: once(readRecord, userData) }),
    },
    found: {
      signer,
      bundle,
      published: published.map(({ object }) => object),
      targets,
      userData,
      pairs: { ...pairOf('current', current), ...pairOf('previous', previous) },
      certificates,
    },
  }
}

function signerFacts(
  secret: Readonly<Secret>,
  current: ReadPair | { problem: string },
  previous: ReadPair | { problem: string },
): SignerFacts {
  const former = authorityIn(previous)
  const { previousCertificate, previousKey } = signerKeys
  return {
    metadata: certificateMetadataOf(secret.metadata),
    current: authorityIn(current),
    ...(!isDamaged(former) && { previous: former }),
    keepsPrevious: [previousCertificate, previousKey].some((key) => secret.data?.[key]),
    rotateBack: secret.metadata.annotations?.[ownSignerAnnotations.rotateBack],
  }
}

const certificatesIn = (read: ReadConfigMap | undefined): readonly Certificate[] =>
  read?.certificates ?? []

const chainOf = (read: ReadPair | { problem: string } | undefined): readonly Certificate[] =>
  read && !isDamaged(read) ? read.chain : []

const pairOf = (
  name: 'current' | 'previous',
  read: ReadPair | { problem: string } | undefined,
): { [name: string]: KeyPair } => (read && !isDamaged(read) ? { [name]: read.pair } : {})

const isEmpty = (object: Readonly<ConfigMap> | undefined): boolean => {
  const read = object && once(readMap, object)
  return !read || (read.certificates.length === 0 && read.facts.problem === undefined)
}

const readRecord = ({ data }: Readonly<ConfigMap>): UserDataRecord => readUserDataRecord(data)
const readMap = (object: Readonly<ConfigMap>): ReadConfigMap => readConfigMap(object, false)
const readOwnMap = (object: Readonly<ConfigMap>): ReadConfigMap => readConfigMap(object, true)
