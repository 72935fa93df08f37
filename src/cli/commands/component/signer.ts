import { Command } from '../../options/commander.ts'
import type { Terminal } from '../../../process/terminal.ts'
import type { ComponentOptions } from '../../../process/component-options.ts'
import { addComponentOptions } from '../../options/component-options.ts'

export interface SignerCommandOptions extends ComponentOptions {
  readonly approveRequests: 'auto' | 'yes' | 'no'
}

export function signerCommand(terminal: Terminal): Command {
  const command = addComponentOptions(
    new Command('signer')
      .summary('run the signer')
      .description(
        'run the signer: rotate the CAs of TrustRotations when all nodes are ready, and approve certificate requests of kubelets; of several instances, only the leader is active',
      ),
  )
  command.addOption(
    command
      .createOption(
        '--approve-requests <when>',
        'approve certificate signing requests of kubelets; auto approves them except on OpenShift, which has its own approver',
      )
      .choices(['auto', 'yes', 'no'])
      .default('auto'),
  )
  return command.action(async (options: SignerCommandOptions) => {
    const { runSignerProcess } = await import('./run-signer.ts')
    await runSignerProcess(options, terminal)
  })
}
