import { names } from '../../api/names.ts'
import { clusterVersions } from '../../api/openshift-config.ts'
import type { Clock } from '@machinist/core/clock'
import { sleep } from '@machinist/core/clock'
import { messageOf } from '@machinist/core/errors'
import type { Logger } from '@machinist/core/log'
import type { KubeClient } from '@machinist/kube/client/client'
import { ignoreNotFound, isForbidden } from '@machinist/kube/failure'

export interface ApprovalEnabledOptions {
  readonly client: KubeClient
  readonly clock: Clock
  readonly log: Logger
  readonly approveRequests?: boolean
}

const retryMs = 5000

/** Whether the signer approves requests: as configured, otherwise unless OpenShift does. Determined once. */
export async function isApprovalEnabled(
  options: ApprovalEnabledOptions,
  signal: AbortSignal,
): Promise<boolean> {
  const { clock, log, approveRequests } = options
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
      return (await isOpenShift(options, signal))
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

async function isOpenShift(
  { client }: ApprovalEnabledOptions,
  signal: AbortSignal,
): Promise<boolean> {
  const key = { name: names.clusterVersion }
  return (await ignoreNotFound(client.getMetadata(clusterVersions, key, { signal }))) !== undefined
}
