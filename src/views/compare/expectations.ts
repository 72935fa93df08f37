import { nodePaths } from '../../api/node-paths.ts'
import { counted, listed } from './counts.ts'
import type { Comparison, NodeRotation, ComparedRotation } from './facts.ts'

/** Pure: the failed expectations, one line each; empty if both rotations behaved as expected. */
export function problemsOf(comparison: Comparison): string[] {
  const { rendered, direct } = comparison
  return [
    ...[...commonProblems(rendered), ...renderedProblems(comparison)].map(
      (problem) => `rendered: ${problem}`,
    ),
    ...[...commonProblems(direct), ...directProblems(direct)].map(
      (problem) => `direct: ${problem}`,
    ),
  ]
}

function commonProblems(rotation: ComparedRotation): string[] {
  const { authority, issuerOnly, missed, evictions } = rotation
  return [
    ...(issuerOnly.rotated ? ['the signer rotated when it lost certificate-issuer'] : []),
    ...(issuerOnly.filesWritten > 0 ? ['files changed when it lost certificate-issuer'] : []),
    ...(missed === undefined ? [] : [`timed out waiting for ${missed}`]),
    ...(authority || missed !== undefined ? [] : ['no new CA was created']),
    ...onNodes(rotation, 'no new CA on', ({ paused, trusts }) => !paused && !trusts),
    ...onNodes(rotation, 'rebooted', ({ services }) => services.reboots > 0),
    ...onNodes(rotation, 'cordoned', ({ cordons }) => cordons > 0),
    ...onNodes(rotation, 'drained', ({ drains }) => drains > 0),
    ...onNodes(rotation, 'services restarted on', ({ services }) => services.services.length > 0),
    ...(evictions > 0 ? [`${counted(evictions, 'pod')} evicted`] : []),
  ]
}

/** The rotation must not proceed without the nodes that lack the new CA. */
function renderedProblems({ pools, rendered }: Comparison): string[] {
  const wrong = pools.flatMap(({ name }) => {
    const count = rendered.newConfigs.filter(({ pool }) => pool === name).length
    return count === 1 ? [] : [`${counted(count, 'new config')} for pool ${name} instead of one`]
  })
  const isEarly = ({ paused, trusts }: NodeRotation): boolean => paused && trusts
  const lacking = rendered.nodes.filter(({ trusts }) => !trusts).map(({ name }) => name)
  const { phase, laggards } = rendered.end
  const isAwaited = lacking.length === 0 || (laggards.length > 0 && phase !== 'Completed')
  const others = laggards.filter((name) => !lacking.includes(name))
  return [
    ...wrong,
    ...onNodes(rendered, 'paused, but a new CA on', isEarly),
    ...(isAwaited ? [] : [`the rotation proceeds without ${listed(lacking)}`]),
    ...(others.length === 0 ? [] : [`the rotation waits for ${listed(others)}`]),
  ]
}

function directProblems(direct: ComparedRotation): string[] {
  const { newConfigs, end } = direct
  const count = newConfigs.length
  const wroteOther = ({ written, removed }: NodeRotation): boolean =>
    removed.length > 0 || written.length !== 1 || written[0] !== nodePaths.kubeletCA
  return [
    ...(count > 0 ? [`${counted(count, 'new config')} instead of none`] : []),
    ...onNodes(direct, 'paused, but no new CA on', ({ paused, trusts }) => paused && !trusts),
    ...onNodes(direct, `files other than ${nodePaths.kubeletCA} written on`, wroteOther),
    ...onNodes(direct, 'systemd reloaded on', ({ services }) => services.daemonReloads > 0),
    ...(end.phase === 'Completed' ? [] : [`the rotation is ${end.phase}, not Completed`]),
    ...(end.holdingOld > 0 ? [`the old CA is still on ${counted(end.holdingOld, 'node')}`] : []),
  ]
}

function onNodes(
  { nodes }: ComparedRotation,
  what: string,
  isBad: (node: NodeRotation) => boolean,
): string[] {
  const names = nodes.filter(isBad).map(({ name }) => name)
  return names.length === 0 ? [] : [`${what} ${listed(names)}`]
}
