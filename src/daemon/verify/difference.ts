/** Something on the machine that is not as its config says. */
export interface Difference {
  readonly kind: 'file' | 'unit' | 'dropin' | 'osImage' | 'kernelArguments' | 'sshKeys'
  /** The path, or what it is about. */
  readonly at: string
  /** One clause: `content is sha256:ab12…, expected sha256:cd34…`; never the content itself. */
  readonly what: string
}

const osKinds: ReadonlySet<string> = new Set<Difference['kind']>(['osImage', 'kernelArguments'])

/** What only a reboot can put right. */
export const isOfOs = ({ kind }: Difference): boolean => osKinds.has(kind)
