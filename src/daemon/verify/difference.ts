/** A difference between a machine and its config. */
export interface Difference {
  readonly kind: 'file' | 'unit' | 'dropin' | 'osImage' | 'kernelArguments' | 'sshKeys'
  /** The path, or the name of the part: `the kernel`. */
  readonly at: string
  /** One clause: `content is sha256:ab12…, expected sha256:cd34…`; never the content itself. */
  readonly what: string
}

const osKinds: ReadonlySet<string> = new Set<Difference['kind']>(['osImage', 'kernelArguments'])

/** Whether the repair needs a reboot. */
export const isOsDifference = ({ kind }: Difference): boolean => osKinds.has(kind)
