import type { StepContext } from '@machinist/kube/controller/step-controller'
import type { ConfigMap, Secret } from '@machinist/kube/kinds/core'
import { readCertificate } from '@machinist/pki/certificate'
import type { IssuanceRandom, KeyPair, Validity } from '@machinist/pki/issue'
import { createAuthority, issueCertificate } from '@machinist/pki/issue'
import { ownBundleAnnotations } from '../../../api/annotations.ts'
import { certificateTypes } from '../../../api/labels.ts'
import { signerKeys } from '../../../api/names.ts'
import type { RotationWrite } from '../decide/plan-certificates.ts'
import type { MetadataChange } from '../facts/certificate-metadata.ts'
import type { Authority } from '../facts/facts.ts'
import type { RotationObjects } from '../facts/objects.ts'
import { bundleText, sortedByBytes } from '../facts/read-bundle.ts'
import { issuedAfterMs } from '../decide/retiring.ts'
import type { Rotation } from '../../../fleet/rotation/rotation-spec.ts'
import { confirmBasis } from './basis.ts'
import type { SecretText } from './store-content.ts'
import { storeSecret, storeText } from './store-content.ts'

export interface RotationWriteContext extends Pick<StepContext, 'client' | 'signal'> {
  readonly rotation: Rotation
  /** The objects that the plan is based on: a write happens only if they are unchanged. */
  readonly found: RotationObjects
  readonly now: number
  readonly chance?: IssuanceRandom | undefined
}

/**
 * Makes one write of the plan, unless the API server has other objects than the caches that the plan is based on. Returns the
 * objects after the write. Keys are generated here, and are only written to the Secret.
 */
export async function makeWrite(
  write: RotationWrite,
  context: RotationWriteContext,
): Promise<RotationObjects> {
  const { found } = context
  await confirmBasis(write, found, context)
  switch (write.type) {
    case 'signer':
      return { ...found, signer: await writeSigner(write, context) }
    case 'bundle':
      return { ...found, bundle: await writeBundle(write, context) }
    case 'published': {
      const written = await publish(write, context)
      return { ...found, published: found.published.with(write.index, written) }
    }
    case 'target': {
      const written = await writeTarget(write, context)
      return { ...found, targets: found.targets.with(write.index, written) }
    }
  }
}

async function writeSigner(
  write: Extract<RotationWrite, { type: 'signer' }>,
  context: RotationWriteContext,
): Promise<Secret> {
  const { found, rotation } = context
  const { current, previous } = found.pairs
  const type = certificateTypes.signer
  switch (write.action) {
    case 'renew': {
      const made = await newAuthority(write.name, context)
      const kept = write.keep === 'none' ? undefined : found.pairs[write.keep]
      return await storeSecret(found.signer, rotation.signer, pairsData(made, kept), context, {
        type,
        ...metadataWith(made),
      })
    }
    case 'swap': {
      const back = previous!
      return await storeSecret(found.signer, rotation.signer, pairsData(back, current), context, {
        type,
        ...metadataWith(back),
      })
    }
    case 'drop-previous':
      return await storeSecret(found.signer, rotation.signer, noPrevious, context, { type })
    case 'set-metadata':
      return await storeSecret(found.signer, rotation.signer, {}, context, { type })
  }
}

async function writeTarget(
  write: Extract<RotationWrite, { type: 'target' }>,
  context: RotationWriteContext,
): Promise<Secret> {
  const { found, rotation } = context
  const target = rotation.targets[write.index]!
  const object = found.targets[write.index]
  const hostnames = target.hostnames.all.join(',')
  const metadata = { type: certificateTypes.target, hostnames }
  if (write.action === 'set-metadata')
    return await storeSecret(object, target, {}, context, metadata)
  const authority = found.pairs[write.by]!
  const { commonName, organizations, usage, key } = target
  const { dnsNames, ipAddresses } = target.hostnames
  const subject = { commonName, organizations, dnsNames, ipAddresses, usages: [usage] }
  const validity = validityFor(target.validityMs, context)
  const made = await issueCertificate(
    authority,
    { ...subject, validity, keyKind: key },
    context.chance,
  )
  const data = {
    [signerKeys.certificate]: made.certificate + authority.certificate,
    [signerKeys.key]: made.key,
  }
  return await storeSecret(object, target, data, context, {
    ...metadata,
    ...metadataWith(made, authority),
  })
}

async function writeBundle(
  { authorities, own }: Extract<RotationWrite, { type: 'bundle' }>,
  context: RotationWriteContext,
): Promise<ConfigMap> {
  const { found, rotation } = context
  const certificates = sortedByBytes(authorities.map((each) => certificateOf(each, found)))
  return await storeText(found.bundle, rotation.bundle, bundleText(certificates), context, {
    [ownBundleAnnotations.ownAuthorities]: own.join(','),
  })
}

async function publish(
  { index, authorities }: Extract<RotationWrite, { type: 'published' }>,
  context: RotationWriteContext,
): Promise<ConfigMap> {
  const { found, rotation } = context
  const text = bundleText(authorities.map((each) => certificateOf(each, found)))
  return await storeText(found.published[index], rotation.publishedIn[index]!, text, context)
}

function certificateOf(
  { fingerprint }: Authority,
  { certificates }: RotationObjects,
): CertificateRead {
  return certificates.get(fingerprint)!
}

type CertificateRead = ReturnType<typeof readCertificate>

async function newAuthority(name: string, context: RotationWriteContext): Promise<KeyPair> {
  const { validityMs, key: keyKind } = context.rotation.signer
  const validity = validityFor(validityMs, context)
  return await createAuthority({ name, validity, keyKind }, context.chance)
}

/** A certificate never outlives its CA: see issueCertificate. */
const validityFor = (ms: number, { now }: RotationWriteContext): Validity => ({
  from: now - issuedAfterMs,
  until: now + ms,
})

function metadataWith(
  made: KeyPair,
  authority: KeyPair = made,
): Pick<MetadataChange, 'certificate'> {
  const { notBefore, notAfter } = readCertificate(made.certificate)
  const issuer = readCertificate(authority.certificate).commonName ?? ''
  return { certificate: { notBefore, notAfter, issuer } }
}

const noPrevious: SecretText = {
  [signerKeys.previousCertificate]: undefined,
  [signerKeys.previousKey]: undefined,
}

const pairsData = (current: KeyPair, previous: KeyPair | undefined): SecretText => ({
  [signerKeys.certificate]: current.certificate,
  [signerKeys.key]: current.key,
  [signerKeys.previousCertificate]: previous?.certificate,
  [signerKeys.previousKey]: previous?.key,
})
