import { Command } from '../commander.ts'
import type { Terminal } from '../../process/terminal.ts'
import type { ComponentOptions } from '../../process/component-options.ts'
import { addComponentOptions } from './component-options.ts'

export interface SignerCommandOptions extends ComponentOptions {
  readonly approveRequests: 'auto' | 'yes' | 'no'
}

export function signerCommand(terminal: Terminal): Command {
  const command = addComponentOptions(
    new Command('signer').description(
      'run the signer: CAs that rotate when all nodes are ready for it, as TrustRotations say, and the certificates of kubelets. Of several, the one with the lease works',
    ),
  )
  command.addOption(
    command
      .createOption(
        '--approve-requests <when>',
        'approve the requests of kubelets for certificates: auto does so except on OpenShift, which has somebody for it',
      )
      .choices(['auto', 'yes', 'no'])
      .default('auto'),
  )
  return command.action(async (options: SignerCommandOptions) => {
    const { runSignerProcess } = await import('./signer-run.ts')
    await runSignerProcess(options, terminal)
  })
}
