import { conditionOf, rotationConditions } from '../../../../src/api/conditions.ts'
import { trustRotations } from '../../../../src/api/resources.ts'
import { nodes, secrets } from '@machinist/kube/kinds/core'
import type { Rotation } from '../rotations.ts'
import type { Scene } from '../scene.ts'
import { secretText } from '../seen-certificates.ts'
import type { TrustNode } from '../trust-node.ts'
import type { Leafs } from './leafs.ts'

/** What is wrong with a rotation that has been waiting for this one node, and nothing else, for a while. */
export function heldUpProblems(
  { cluster, reader, nodes: machines }: Scene,
  leafs: Leafs,
  rotation: Rotation,
  awaited: TrustNode,
): string[] {
  const { name, spec } = rotation
  const { phase, nodes: told, conditions } = cluster.get(trustRotations, { name })!.status ?? {}
  const signer = cluster.get(secrets, spec.signer)
  const [current] = [...(reader.bundle(secretText(signer, 'tls.crt'))?.values() ?? [])]
  if (!current) return ['there is no CA']
  const registered = cluster.get(nodes, { name: awaited.name })?.metadata.creationTimestamp ?? ''
  const since = Math.max(current.notBefore, Date.parse(registered))
  const laggards = told?.laggards ?? []
  const [laggard] = laggards
  const progressing = conditionOf(conditions, rotationConditions.progressing)
  const problems = [
    phase !== 'Preparing' && `is ${phase}`,
    laggards.map((each) => each.name).join() !== awaited.name &&
      `names "${laggards.map((each) => each.name).join()}" and not ${awaited.name}`,
    laggard && Date.parse(laggard.since) !== since && `says since ${laggard.since}, not ${since}`,
    laggard?.why === '' && 'does not say why',
    (told?.total ?? 0) - (told?.trusting ?? 0) !== 1 && `counts ${JSON.stringify(told)}`,
    progressing?.status !== 'True' && 'does not say that something is under way',
    !progressing?.message?.includes(awaited.name) && `says "${progressing?.message}"`,
    ...(spec.targets ?? []).map(
      (target) =>
        leafs.inSecret(rotation, target)?.authority === current.fingerprint &&
        `${target.name} is signed by a CA that ${awaited.name} lacks`,
    ),
    ...[...machines.values()].map(
      (node) =>
        node !== awaited &&
        !reader.has(node.goesBy(spec.trustedBy!), current.fingerprint) &&
        `${node.name} was left behind, too`,
    ),
  ]
  return problems.flatMap((problem) => problem || [])
}
