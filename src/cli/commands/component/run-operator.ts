import { runComponent } from '../../../process/component-process.ts'
import { leadOperator } from '../../../process/lead-operator.ts'
import type { Terminal } from '../../../process/terminal.ts'
import { version } from '../../../process/version.ts'
import type { OperatorCommandOptions } from './operator.ts'

export async function runOperatorProcess(
  options: OperatorCommandOptions,
  terminal: Terminal,
): Promise<void> {
  const { namespace, payloadVersion } = options
  const own = { version, namespace, ...(payloadVersion !== undefined && { payloadVersion }) }
  await runComponent(
    {
      what: 'operator',
      start: (tools, leadership, signal) => leadOperator({ ...tools, ...own }, leadership, signal),
    },
    options,
    terminal,
  )
}
