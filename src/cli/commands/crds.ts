import { Command } from '../commander.ts'
import type { Terminal } from '../../process/terminal.ts'

export function crdsCommand(terminal: Terminal): Command {
  return new Command('crds')
    .description('print every CustomResourceDefinition, ready for kubectl apply -f -')
    .action(async () => {
      const { crdStream } = await import('../../api/crds.ts')
      terminal.out(crdStream())
    })
}
