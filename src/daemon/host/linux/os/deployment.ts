import { kernelWords } from '../../../../planner/kernel-arguments.ts'
import type { OsDriverName } from '../../../../planner/os-capabilities.ts'
import type { OsDeployment, OsState } from '../../host.ts'
import { HostFailure } from '../../host-failure.ts'
import { sameDeployment, unlike } from '../../same-deployment.ts'

/** One way to change an operating system. */
export interface OsDriver {
  readonly name: OsDriverName
  state(): Promise<OsState>
  stage(deployment: OsDeployment): Promise<void>
  /** Only of those that have packages beside the image. */
  foreignPackages?(): Promise<readonly string[]>
  /** Only of those that keep what ran before. */
  dropRollback?(): Promise<void>
}

/** Staged is only what is different. */
export const osState = (booted: OsDeployment, next: OsDeployment): OsState =>
  sameDeployment(next, booted) ? { booted } : { booted, staged: next }

/** Trusts no tool: what it says will boot must be what was asked for. */
export async function mustHaveStaged(driver: OsDriver, wanted: OsDeployment): Promise<void> {
  const { booted, staged } = await driver.state()
  const differences = unlike(wanted, staged ?? booted)
  if (differences.length === 0) return
  const what = `the next boot would bring ${differences.join(', ')}`
  throw new HostFailure(`staging did not do what it should: ${what}`, 'EINVAL')
}

/**
 * The arguments of a kernel command line that people may choose. `ostree=` says which deployment boots, and each has its own;
 * the others are the boot loader's.
 */
export const kernelArgumentsIn = (line: string): string[] =>
  kernelWords(line.trim()).filter((word) => !/^(ostree|BOOT_IMAGE|initrd)=/.test(word))
