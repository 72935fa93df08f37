import type { ConfigMap } from '@machinist/kube/kinds/core'
import { configMaps, secrets } from '@machinist/kube/kinds/core'
import { certificateAnnotations } from '../../../../src/api/annotations.ts'
import { conditionOf, rotationConditions, trustDelivered } from '../../../../src/api/conditions.ts'
import {
  controllerConfigs,
  machineConfigPools,
  nodeTrusts,
  trustRotations,
} from '../../../../src/api/kinds/resources.ts'
import type { Place, Rotation } from '../rotations.ts'
import { besides } from '../rotations.ts'
import type { TrustScene } from '../scene.ts'
import type { SeenCertificate } from '../seen-certificates.ts'
import { secretText } from '../seen-certificates.ts'
import { short } from './node-bundles.ts'

/** Differences from the required end state; empty when the cluster is settled. */
export function unsettled(scene: TrustScene): string[] {
  const { cluster } = scene
  const [controllerConfig] = cluster.list(controllerConfigs)
  const delivered = conditionOf(controllerConfig?.status?.conditions, trustDelivered)
  const nodeProblems = [...scene.nodes.values()].flatMap((node) => [
    !node.isKubeletRunning && `the kubelet of ${node.name} does not run`,
    !node.simulated.daemon && `the daemon of ${node.name} does not run`,
    !cluster.get(nodeTrusts, { name: node.name }) && `${node.name} has no NodeTrust`,
  ])
  const problems = [
    delivered?.status !== 'True' && `the operator reports ${delivered?.message}`,
    ...nodeProblems,
    ...scene.rotations.flatMap((rotation) => {
      const found = rotationProblems(scene, rotation)
      return found.flatMap((problem) => (problem ? [`${rotation.name}: ${problem}`] : []))
    }),
  ]
  return problems.flatMap((problem) => problem || [])
}

/** Pools whose latest generation no controller has observed yet, for example while a new leader waits for its lease. */
export function unseenPools({ cluster }: TrustScene): string[] {
  return cluster
    .list(machineConfigPools)
    .filter(({ metadata, status }) => status?.observedGeneration !== metadata.generation)
    .map(({ metadata }) => `the status of pool ${metadata.name} is of an older generation`)
}

function rotationProblems(
  scene: TrustScene,
  { name, spec }: Rotation,
): (string | false | undefined)[] {
  const { cluster, reader } = scene
  const { metadata, status = {} } = cluster.get(trustRotations, { name })!
  const signer = cluster.get(secrets, spec.signer)
  const [current] = [...(reader.bundle(secretText(signer, 'tls.crt'))?.values() ?? [])]
  if (!current) return ['its signer cannot be read']
  const is = (type: string): string => conditionOf(status.conditions, type)?.status ?? 'absent'
  const why = conditionOf(status.conditions, rotationConditions.progressing)?.message
  const foreign = foreignIn(scene)
  const isOnly = (text: string | undefined, others: readonly string[] = []): boolean => {
    const found = reader.bundle(text)
    if (!found?.has(current.fingerprint)) return false
    return [...found.keys()].every((each) => each === current.fingerprint || others.includes(each))
  }
  return [
    status.phase !== 'Completed' && `is ${status.phase}: ${why}`,
    is(rotationConditions.trusted) !== 'True' && 'is not trusted by all',
    is(rotationConditions.degraded) === 'True' && 'is degraded',
    status.observedGeneration !== metadata.generation && 'its status is of an older generation',
    status.current?.fingerprint !== current.fingerprint && 'reports another CA',
    (status.nodes?.laggards ?? []).length > 0 && 'names lagging nodes',
    // A node in an override may still be loading the CA.
    status.nodes?.trusting !== status.nodes?.total && 'has nodes that may still be loading its CA',
    (status.retiring ?? []).length > 0 && 'names retiring CAs',
    signer?.data?.['previous.key'] !== undefined && 'keeps the key of an earlier CA',
    ...secretProblems(scene, spec.signer, current),
    !isOnly(bundleOf(scene, spec.bundle)) && 'its bundle has other CAs',
    ...(spec.publishedIn ?? []).map(
      (place) => !isOnly(bundleOf(scene, place), foreign) && `${place.name} has other CAs`,
    ),
    ...(spec.targets ?? []).flatMap((target) => targetProblems(scene, target, current)),
    ...[...scene.nodes.values()].flatMap((node) => [
      !isOnly(node.holds(spec.trustedBy!).all, foreign) && `${node.name} holds other CAs`,
      !reader.has(node.trustsWith(spec.trustedBy!), current.fingerprint) &&
        `${node.name} does not use ${short(current.fingerprint)}`,
    ]),
  ]
}

function targetProblems(
  scene: TrustScene,
  target: Place,
  current: SeenCertificate,
): (string | false)[] {
  const { cluster, reader } = scene
  const text = secretText(cluster.get(secrets, target), 'tls.crt')
  const [leaf] = [...(reader.bundle(text)?.values() ?? [])]
  if (!leaf) return [`${target.name} cannot be read`]
  const isByCurrent = reader.isIssuedBy(leaf, current)
  return [!isByCurrent && `${target.name} is by another CA`, ...secretProblems(scene, target, leaf)]
}

function secretProblems(
  { cluster, reader }: TrustScene,
  place: Place,
  certificate: SeenCertificate,
): (string | false)[] {
  const secret = cluster.get(secrets, place)
  const now = cluster.clock.now()
  const annotatedTime = (name: string): number =>
    Date.parse(secret?.metadata.annotations?.[name] ?? '')
  const isValid = certificate.notBefore <= now && now < certificate.notAfter
  return [
    !isValid && `${place.name} is not valid now`,
    !reader.fits(certificate, secretText(secret, 'tls.key')) &&
      `the key in ${place.name} does not fit`,
    annotatedTime(certificateAnnotations.notAfter) !== certificate.notAfter &&
      `the annotation of ${place.name} has another notAfter`,
    annotatedTime(certificateAnnotations.notBefore) !== certificate.notBefore &&
      `the annotation of ${place.name} has another notBefore`,
  ]
}

/** Additional published CAs of users. */
function foreignIn(scene: TrustScene): string[] {
  return [...(scene.reader.bundle(bundleOf(scene, besides))?.keys() ?? [])]
}

export function bundleOf({ cluster }: TrustScene, place: Place): string | undefined {
  const found: ConfigMap | undefined = cluster.get(configMaps, place)
  return found?.data?.['ca-bundle.crt']
}
