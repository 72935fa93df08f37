import { kernelWords } from '../../../../planner/differences/kernel-arguments.ts'
import type { OsDriverName } from '../../../../planner/model/os-capabilities.ts'
import type { OsDeployment, OsState } from '../../host.ts'
import { HostFailure } from '../../host-failure.ts'
import { sameDeployment, deploymentDifferences } from '../../same-deployment.ts'

/** A tool that changes the operating system. */
export interface OsDriver {
  readonly name: OsDriverName
  state(): Promise<OsState>
  stage(deployment: OsDeployment): Promise<void>
  /** Only for tools that add packages to the image. */
  foreignPackages?(): Promise<readonly string[]>
  /** Only for tools that keep the previous deployment. */
  dropRollback?(): Promise<void>
}

/** `staged` is set only if the next deployment differs from the booted one. */
export const osStateOf = (booted: OsDeployment, next: OsDeployment): OsState =>
  sameDeployment(next, booted) ? { booted } : { booted, staged: next }

/** Checks that the next deployment is the requested one, whatever the tool reported. */
export async function verifyStaged(driver: OsDriver, desired: OsDeployment): Promise<void> {
  const { booted, staged } = await driver.state()
  const differences = deploymentDifferences(desired, staged ?? booted)
  if (differences.length === 0) return
  const what = `the next boot would have ${differences.join(', ')}`
  throw new HostFailure(`${driver.name} staged another deployment: ${what}`, 'EINVAL')
}

/** The kernel arguments without those that OSTree (`ostree=`, which selects the deployment) and the boot loader set. */
export const kernelArgumentsIn = (line: string): string[] =>
  kernelWords(line.trim()).filter((word) => !/^(ostree|BOOT_IMAGE|initrd)=/.test(word))
