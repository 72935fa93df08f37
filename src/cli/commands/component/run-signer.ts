import { runComponent } from '../../../process/component-process.ts'
import { leadSigner } from '../../../process/lead-signer.ts'
import type { Terminal } from '../../../process/terminal.ts'
import type { SignerCommandOptions } from './signer.ts'

export async function runSignerProcess(
  options: SignerCommandOptions,
  terminal: Terminal,
): Promise<void> {
  const { approveRequests: when } = options
  const own = { ...(when !== 'auto' && { approveRequests: when === 'yes' }) }
  await runComponent(
    {
      what: 'signer',
      start: (tools, leadership, signal) => leadSigner({ ...tools, ...own }, leadership, signal),
    },
    options,
    terminal,
  )
}
