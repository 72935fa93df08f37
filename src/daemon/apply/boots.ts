import type { Host } from '../host/host.ts'
import { sameDeployment } from '../host/same-deployment.ts'
import type { Intent } from './intent.ts'
import type { Mark } from './marks.ts'

/**
 * Whether the boot after this one is the one that was asked for. If the power goes before the machine has gone down in good
 * order, it comes back with what it had, and nobody says that anything failed.
 */
export async function hasArrived(host: Host, { os }: Intent, bootId: string): Promise<boolean> {
  if (!(await hasRebooted(host, bootId))) return false
  if (!os || sameDeployment(os.before, os.after)) return true
  const { booted } = await host.os.state()
  if (!sameDeployment(booted, os.before)) return true
  return (await host.os.bootReport()).finalizationFailure !== undefined
}

/** Whether the machine was booted into the new OS, so that only another boot brings the old one back. */
export async function runsTheNew(
  host: Host,
  { bootId, os }: Intent,
  marks: readonly Mark[],
): Promise<boolean> {
  if (!os || !(await hasRebooted(host, bootId))) return false
  const { booted } = await host.os.state()
  if (sameDeployment(booted, os.before)) return false
  const reboot = marks.findLast((mark) => 'reboot' in mark && mark.back)
  if (reboot && 'reboot' in reboot && (await hasRebooted(host, reboot.bootId))) {
    throw new Error('the machine did not boot into the operating system of before')
  }
  return true
}

const hasRebooted = async ({ power }: Host, bootId: string): Promise<boolean> =>
  (await power.bootId()) !== bootId
