import type { Host } from '../../host/host.ts'
import { sameDeployment } from '../../host/same-deployment.ts'
import type { Intent } from '../intent.ts'
import type { Mark } from '../journal/marks.ts'

/**
 * Whether the requested reboot is complete. After a power loss during shutdown, the machine boots the old deployment and no
 * tool reports a failure; the reboot is then requested again.
 */
export async function isRebootComplete(
  host: Host,
  { os }: Intent,
  bootId: string,
): Promise<boolean> {
  if (!(await hasRebooted(host, bootId))) return false
  if (!os || sameDeployment(os.before, os.after)) return true
  const { booted } = await host.os.state()
  if (!sameDeployment(booted, os.before)) return true
  return (await host.os.bootReport()).finalizationFailure !== undefined
}

/** Whether the machine runs the new OS, so that a rollback needs another reboot. */
export async function runsNewDeployment(
  host: Host,
  { bootId, os }: Intent,
  marks: readonly Mark[],
): Promise<boolean> {
  if (!os || !(await hasRebooted(host, bootId))) return false
  const { booted } = await host.os.state()
  if (sameDeployment(booted, os.before)) return false
  const reboot = marks.findLast((mark) => 'reboot' in mark && mark.back)
  if (reboot && 'reboot' in reboot && (await hasRebooted(host, reboot.bootId))) {
    throw new Error('the machine did not boot into the previous operating system')
  }
  return true
}

const hasRebooted = async ({ power }: Host, bootId: string): Promise<boolean> =>
  (await power.bootId()) !== bootId
