import { runComponent } from '../component-process.ts'
import { leadOperator } from '../lead-operator.ts'
import type { Terminal } from '../terminal.ts'
import { version } from '../version.ts'
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
