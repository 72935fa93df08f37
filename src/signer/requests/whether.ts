import { names } from '../../api/names.ts'
import { clusterVersions } from '../../api/openshift-config.ts'
import type { Clock } from '@machinist/core/clock'
import { sleep } from '@machinist/core/clock'
import { messageOf } from '@machinist/core/errors'
import type { Logger } from '@machinist/core/log'
import type { KubeClient } from '@machinist/kube/client'
import { ifThere, isForbidden } from '@machinist/kube/failure'

export interface WhetherOptions {
  readonly client: KubeClient
  readonly clock: Clock
  readonly log: Logger
  readonly approveRequests?: boolean
}

const askAgainMs = 5000

/** Whether requests are approved here: as it was said, else wherever OpenShift does not see to it itself. Decided once. */
export async function whetherToApprove(
  options: WhetherOptions,
  signal: AbortSignal,
): Promise<boolean> {
  const { clock, log, approveRequests } = options
  const decided = (isOn: boolean, why: string): boolean => {
    const what = isOn
      ? 'certificate requests of kubelets are approved'
      : 'certificate requests of kubelets are left to others'
    log.info(what, { why })
    return isOn
  }
  if (approveRequests !== undefined) return decided(approveRequests, 'it was said so')
  while (!signal.aborted) {
    try {
      return (await isOpenShift(options, signal))
        ? decided(false, 'there is a ClusterVersion, so OpenShift approves them')
        : decided(true, 'there is no ClusterVersion')
    } catch (error) {
      if (isForbidden(error)) return decided(false, `nobody knows who else does: ${noRight}`)
      log.info('cannot see yet who approves certificate requests', { why: messageOf(error) })
      await sleep(clock, askAgainMs, signal)
    }
  }
  return false
}

const noRight =
  'let the signer get clusterversions.config.openshift.io, or say whether it shall approve them'

async function isOpenShift({ client }: WhetherOptions, signal: AbortSignal): Promise<boolean> {
  const key = { name: names.clusterVersion }
  return (await ifThere(client.getMetadata(clusterVersions, key, { signal }))) !== undefined
}
