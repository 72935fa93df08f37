/** The parts of the operating system that the driver of a machine can change, by kind of change. */
export interface OsCapabilities {
  readonly driver: OsDriverName
  readonly osImage: boolean
  readonly kernelArguments: boolean
  readonly kernelType: boolean
  readonly extensions: boolean
}

/** `packages`: an OS without a driver. */
export type OsDriverName = 'rpm-ostree' | 'bootc' | 'ostree' | 'packages'

const image = { osImage: true, kernelArguments: false, kernelType: false, extensions: false }

export const osCapabilities: Readonly<Record<OsDriverName, OsCapabilities>> = {
  'rpm-ostree': {
    driver: 'rpm-ostree',
    osImage: true,
    kernelArguments: true,
    kernelType: true,
    extensions: true,
  },
  bootc: { driver: 'bootc', ...image },
  ostree: { driver: 'ostree', ...image, kernelArguments: true },
  packages: { driver: 'packages', ...image, osImage: false },
}
