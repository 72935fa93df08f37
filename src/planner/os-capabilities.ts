/** Which parts of a machine's operating system its driver can change, by the kinds of a plan. */
export interface OsCapabilities {
  readonly driver: OsDriverName
  readonly osImage: boolean
  readonly kernelArguments: boolean
  readonly kernelType: boolean
  readonly extensions: boolean
}

/** `packages`: an OS that none of the drivers runs. */
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
