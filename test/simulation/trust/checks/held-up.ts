import { nodes, secrets } from '@machinist/kube/kinds/core'
import { conditionOf, rotationConditions } from '../../../../src/api/conditions.ts'
import { trustRotations } from '../../../../src/api/kinds/resources.ts'
import type { Rotation } from '../rotations.ts'
import type { TrustScene } from '../scene.ts'
import { secretText } from '../seen-certificates.ts'
import type { TrustNode } from '../trust-node.ts'
import type { LeafCertificates } from './leaf-certificates.ts'

/** Problems in the status of a rotation that waits for this one node only. */
export function heldUpProblems(
  { cluster, reader, nodes: machines }: TrustScene,
  leafCertificates: LeafCertificates,
  rotation: Rotation,
  awaited: TrustNode,
): string[] {
  const { name, spec } = rotation
  const { phase, nodes: reported, conditions } = cluster.get(trustRotations, { name })!.status ?? {}
  const signer = cluster.get(secrets, spec.signer)
  const [current] = [...(reader.bundle(secretText(signer, 'tls.crt'))?.values() ?? [])]
  if (!current) return ['there is no CA']
  const registered = cluster.get(nodes, { name: awaited.name })?.metadata.creationTimestamp ?? ''
  const since = Math.max(current.notBefore, Date.parse(registered))
  const laggards = reported?.laggards ?? []
  const [laggard] = laggards
  const progressing = conditionOf(conditions, rotationConditions.progressing)
  const problems = [
    phase !== 'Preparing' && `is ${phase}`,
    laggards.map((each) => each.name).join() !== awaited.name &&
      `names "${laggards.map((each) => each.name).join()}" and not ${awaited.name}`,
    laggard &&
      Date.parse(laggard.since) !== since &&
      `reports since ${laggard.since}, not ${since}`,
    laggard?.why === '' && 'has no reason',
    (reported?.total ?? 0) - (reported?.trusting ?? 0) !== 1 &&
      `counts ${JSON.stringify(reported)}`,
    progressing?.status !== 'True' && 'is not Progressing',
    !progressing?.message?.includes(awaited.name) && `has the message "${progressing?.message}"`,
    ...(spec.targets ?? []).map(
      (target) =>
        leafCertificates.inSecret(rotation, target)?.authority === current.fingerprint &&
        `${target.name} is signed by a CA that ${awaited.name} lacks`,
    ),
    ...[...machines.values()].map(
      (node) =>
        node !== awaited &&
        !reader.has(node.trustsWith(spec.trustedBy!), current.fingerprint) &&
        `${node.name} does not trust the CA either`,
    ),
  ]
  return problems.flatMap((problem) => problem || [])
}
