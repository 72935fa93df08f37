import { kernelTypes } from '../../../../api/names.ts'
import { HostFailure } from '../../host-failure.ts'
import type { HostFiles, OsDeployment, OsState } from '../../host.ts'
import { kernelArgumentsIn, type OsDriver } from './deployment.ts'
import { unlike } from '../../same-deployment.ts'

/** An operating system that is made of packages: it is as it is. */
export class FixedOs implements OsDriver {
  readonly name = 'packages'
  readonly #files: HostFiles

  constructor(files: HostFiles) {
    this.#files = files
  }

  async state(): Promise<OsState> {
    const kernelArguments = await runningKernelArguments(this.#files)
    return { booted: { kernelArguments, kernelType: kernelTypes.default, extensions: [] } }
  }

  async stage(deployment: OsDeployment): Promise<void> {
    const { booted } = await this.state()
    const differences = unlike(deployment, booted)
    if (differences.length === 0) return
    throw new HostFailure(
      `this machine's OS cannot be changed as a whole (none of rpm-ostree, bootc and ostree runs it): ${differences.join(', ')}`,
      'ENOTSUP',
    )
  }
}

export async function runningKernelArguments(files: HostFiles): Promise<string[]> {
  const line = await files.read('/proc/cmdline')
  return kernelArgumentsIn(Buffer.from(line).toString())
}
