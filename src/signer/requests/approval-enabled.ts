import { sleep } from '@machinist/core/clock'
import { messageOf } from '@machinist/core/errors'
import type { ControllerContext } from '@machinist/kube/controller/controller-context'
import type { StepContext } from '@machinist/kube/controller/step-controller'
import { ignoreNotFound, isForbidden } from '@machinist/kube/failure'
import { names } from '../../api/names.ts'
import { clusterVersions } from '../../api/openshift-config.ts'

export interface ApprovalSettings {
  /** Whether to approve certificate requests of kubelets; by default, except on OpenShift. */
  readonly approveRequests?: boolean
}

const retryMs = 5000

/** Whether the signer approves requests: as configured, otherwise unless OpenShift does. Determined once. */
export async function isApprovalEnabled(
  { client, clock, log }: Pick<ControllerContext, 'client' | 'clock' | 'log'>,
  { approveRequests }: ApprovalSettings,
  signal: AbortSignal,
): Promise<boolean> {
  const decided = (isOn: boolean, why: string): boolean => {
    const message = isOn
      ? 'approving certificate requests of kubelets'
      : 'not approving certificate requests of kubelets'
    log.info(message, { why })
    return isOn
  }
  if (approveRequests !== undefined) return decided(approveRequests, 'it is configured')
  while (!signal.aborted) {
    try {
      return (await isOpenShift({ client, signal }))
        ? decided(false, 'the cluster has a ClusterVersion, so OpenShift approves them')
        : decided(true, 'the cluster has no ClusterVersion')
    } catch (error) {
      if (isForbidden(error))
        return decided(
          false,
          `cannot determine whether OpenShift approves them: ${missingPermission}`,
        )
      log.info('cannot determine yet whether to approve certificate requests', {
        why: messageOf(error),
      })
      await sleep(clock, retryMs, signal)
    }
  }
  return false
}

const missingPermission =
  'allow the signer to get clusterversions.config.openshift.io, or configure whether it approves them'

async function isOpenShift({
  client,
  signal,
}: Pick<StepContext, 'client' | 'signal'>): Promise<boolean> {
  const key = { name: names.clusterVersion }
  return (await ignoreNotFound(client.getMetadata(clusterVersions, key, { signal }))) !== undefined
}
