import { nodePaths } from '../../api/node-paths.ts'
import { counted, listed } from './counts.ts'
import type { Comparison, NodeRotation, Rotation } from './facts.ts'

/** Pure: what did not go as it should, one line each; empty if both rotations did what they are for. */
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

function commonProblems(rotation: Rotation): string[] {
  const { authority, issuerOnly, missed, evictions } = rotation
  return [
    ...(issuerOnly.rotated ? ['the signer rotated when it lost certificate-issuer'] : []),
    ...(issuerOnly.filesWritten > 0 ? ['files changed when it lost certificate-issuer'] : []),
    ...(missed === undefined ? [] : [`waited in vain for ${missed}`]),
    ...(authority || missed !== undefined ? [] : ['there is no new CA']),
    ...onNodes(rotation, 'no new CA on', ({ paused, trusts }) => !paused && !trusts),
    ...onNodes(rotation, 'rebooted', ({ services }) => services.reboots > 0),
    ...onNodes(rotation, 'cordoned', ({ cordons }) => cordons > 0),
    ...onNodes(rotation, 'drained', ({ drains }) => drains > 0),
    ...onNodes(rotation, 'services restarted on', ({ services }) => services.services.length > 0),
    ...(evictions > 0 ? [`${counted(evictions, 'pod')} evicted`] : []),
  ]
}

/** The rotation must not go on without nodes that its CA has not come to. */
function renderedProblems({ pools, rendered }: Comparison): string[] {
  const wrong = pools.flatMap(({ name }) => {
    const made = rendered.newConfigs.filter(({ pool }) => pool === name).length
    return made === 1 ? [] : [`${counted(made, 'new config')} for pool ${name} instead of one`]
  })
  const isEarly = ({ paused, trusts }: NodeRotation): boolean => paused && trusts
  const lacking = rendered.nodes.filter(({ trusts }) => !trusts).map(({ name }) => name)
  const { phase, laggards } = rendered.end
  const isAwaited = lacking.length === 0 || (laggards.length > 0 && phase !== 'Completed')
  const others = laggards.filter((name) => !lacking.includes(name))
  return [
    ...wrong,
    ...onNodes(rendered, 'paused, and yet a new CA on', isEarly),
    ...(isAwaited ? [] : [`the rotation goes on without ${listed(lacking)}`]),
    ...(others.length === 0 ? [] : [`the rotation waits for ${listed(others)}`]),
  ]
}

function directProblems(direct: Rotation): string[] {
  const { newConfigs, end } = direct
  const made = newConfigs.length
  const wroteOther = ({ written, removed }: NodeRotation): boolean =>
    removed.length > 0 || written.length !== 1 || written[0] !== nodePaths.kubeletCA
  return [
    ...(made > 0 ? [`${counted(made, 'new config')} instead of none`] : []),
    ...onNodes(direct, 'paused, and no new CA on', ({ paused, trusts }) => paused && !trusts),
    ...onNodes(direct, `something else than ${nodePaths.kubeletCA} written on`, wroteOther),
    ...onNodes(direct, 'systemd reloaded on', ({ services }) => services.daemonReloads > 0),
    ...(end.phase === 'Completed' ? [] : [`the rotation is ${end.phase}, not Completed`]),
    ...(end.holdingOld > 0 ? [`the old CA is still on ${counted(end.holdingOld, 'node')}`] : []),
  ]
}

function onNodes(
  { nodes }: Rotation,
  what: string,
  isBad: (node: NodeRotation) => boolean,
): string[] {
  const names = nodes.filter(isBad).map(({ name }) => name)
  return names.length === 0 ? [] : [`${what} ${listed(names)}`]
}
