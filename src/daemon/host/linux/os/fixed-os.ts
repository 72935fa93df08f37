import { kernelTypes } from '../../../../api/names.ts'
import { HostFailure } from '../../host-failure.ts'
import type { HostFiles, OsDeployment, OsState } from '../../host.ts'
import { deploymentDifferences } from '../../same-deployment.ts'
import { kernelArgumentsIn, type OsDriver } from './deployment.ts'

/** A package based operating system, which the daemon cannot change. */
export class FixedOs implements OsDriver {
  readonly name = 'packages'
  readonly #files: HostFiles

  constructor(files: HostFiles) {
    this.#files = files
  }

  async state(): Promise<OsState> {
    const kernelArguments = await getRunningKernelArguments(this.#files)
    return { booted: { kernelArguments, kernelType: kernelTypes.default, extensions: [] } }
  }

  async stage(deployment: OsDeployment): Promise<void> {
    const { booted } = await this.state()
    const differences = deploymentDifferences(deployment, booted)
    if (differences.length === 0) return
    throw new HostFailure(
      `the OS of this machine cannot be changed, because it uses neither rpm-ostree, bootc nor ostree: ${differences.join(', ')}`,
      'ENOTSUP',
    )
  }
}

export async function getRunningKernelArguments(files: HostFiles): Promise<string[]> {
  const line = await files.read('/proc/cmdline')
  return kernelArgumentsIn(Buffer.from(line).toString())
}
