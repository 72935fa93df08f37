import { runComponent } from '../component-process.ts'
import { leadSigner } from '../lead-signer.ts'
import type { Terminal } from '../terminal.ts'
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
