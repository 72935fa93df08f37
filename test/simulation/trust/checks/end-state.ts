import { certificateAnnotations } from '../../../../src/api/annotations.ts'
import { conditionOf, rotationConditions, trustDelivered } from '../../../../src/api/conditions.ts'
import {
  controllerConfigs,
  machineConfigPools,
  nodeTrusts,
  trustRotations,
} from '../../../../src/api/resources.ts'
import type { ConfigMap } from '@machinist/kube/kinds/core'
import { configMaps, secrets } from '@machinist/kube/kinds/core'
import type { Place, Rotation } from '../rotations.ts'
import { besides } from '../rotations.ts'
import type { Scene } from '../scene.ts'
import type { SeenCertificate } from '../seen-certificates.ts'
import { secretText } from '../seen-certificates.ts'
import { short } from './holdings.ts'

/** What is not yet as it must be once everybody has come to rest; nothing when all is. */
export function unsettled(scene: Scene): string[] {
  const { cluster } = scene
  const [controllerConfig] = cluster.list(controllerConfigs)
  const delivered = conditionOf(controllerConfig?.status?.conditions, trustDelivered)
  const nodeProblems = [...scene.nodes.values()].flatMap((node) => [
    !node.isKubeletRunning && `the kubelet of ${node.name} does not run`,
    !node.simulated.daemon && `the daemon of ${node.name} does not run`,
    !cluster.get(nodeTrusts, { name: node.name }) && `${node.name} has told nothing`,
  ])
  const problems = [
    delivered?.status !== 'True' && `the operator says ${delivered?.message}`,
    ...nodeProblems,
    ...scene.rotations.flatMap((rotation) => {
      const found = rotationProblems(scene, rotation)
      return found.flatMap((problem) => (problem ? [`${rotation.name}: ${problem}`] : []))
    }),
  ]
  return problems.flatMap((problem) => problem || [])
}

/** Pools whose status is older than what their users want: no controller has looked at them yet, for example while a new leader waits for its lease. */
export function unseenPools({ cluster }: Scene): string[] {
  return cluster
    .list(machineConfigPools)
    .filter(({ metadata, status }) => status?.observedGeneration !== metadata.generation)
    .map(({ metadata }) => `the status of pool ${metadata.name} is of an older generation`)
}

function rotationProblems(scene: Scene, { name, spec }: Rotation): (string | false | undefined)[] {
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
    status.current?.fingerprint !== current.fingerprint && 'tells of another CA',
    (status.nodes?.laggards ?? []).length > 0 && 'names nodes that lag',
    // A node that an override excuses may still be loading the CA while all else is at rest.
    status.nodes?.trusting !== status.nodes?.total && 'has nodes that may still be loading its CA',
    (status.retiring ?? []).length > 0 && 'names CAs that are to go',
    signer?.data?.['previous.key'] !== undefined && 'keeps the key of an earlier CA',
    ...secretProblems(scene, spec.signer, current),
    !isOnly(bundleOf(scene, spec.bundle)) && 'its bundle has other CAs',
    ...(spec.publishedIn ?? []).map(
      (place) => !isOnly(bundleOf(scene, place), foreign) && `${place.name} has other CAs`,
    ),
    ...(spec.targets ?? []).flatMap((target) => targetProblems(scene, target, current)),
    ...[...scene.nodes.values()].flatMap((node) => [
      !isOnly(node.holds(spec.trustedBy!).all, foreign) && `${node.name} holds other CAs`,
      !reader.has(node.goesBy(spec.trustedBy!), current.fingerprint) &&
        `${node.name} does not go by ${short(current.fingerprint)}`,
    ]),
  ]
}

function targetProblems(scene: Scene, target: Place, current: SeenCertificate): (string | false)[] {
  const { cluster, reader } = scene
  const text = secretText(cluster.get(secrets, target), 'tls.crt')
  const [leaf] = [...(reader.bundle(text)?.values() ?? [])]
  if (!leaf) return [`${target.name} cannot be read`]
  const isByCurrent = reader.isIssuedBy(leaf, current)
  return [!isByCurrent && `${target.name} is by another CA`, ...secretProblems(scene, target, leaf)]
}

function secretProblems(
  { cluster, reader }: Scene,
  place: Place,
  certificate: SeenCertificate,
): (string | false)[] {
  const secret = cluster.get(secrets, place)
  const now = cluster.clock.now()
  const said = (name: string): number => Date.parse(secret?.metadata.annotations?.[name] ?? '')
  const isValid = certificate.notBefore <= now && now < certificate.notAfter
  return [
    !isValid && `${place.name} is not valid now`,
    !reader.fits(certificate, secretText(secret, 'tls.key')) &&
      `the key in ${place.name} does not fit`,
    said(certificateAnnotations.notAfter) !== certificate.notAfter &&
      `${place.name} is said to end at another time`,
    said(certificateAnnotations.notBefore) !== certificate.notBefore &&
      `${place.name} is said to begin at another time`,
  ]
}

/** CAs of others that are published beside ours. */
function foreignIn(scene: Scene): string[] {
  return [...(scene.reader.bundle(bundleOf(scene, besides))?.keys() ?? [])]
}

export function bundleOf({ cluster }: Scene, place: Place): string | undefined {
  const found: ConfigMap | undefined = cluster.get(configMaps, place)
  return found?.data?.['ca-bundle.crt']
}
