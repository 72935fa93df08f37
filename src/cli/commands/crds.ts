import { Command } from '../options/commander.ts'
import type { Terminal } from '../../process/terminal.ts'

export function crdsCommand(terminal: Terminal): Command {
  return new Command('crds')
    .description('print all CustomResourceDefinitions, for kubectl apply --server-side -f -')
    .action(async () => {
      const { crdStream } = await import('../../api/definitions/crds.ts')
      terminal.out(crdStream())
    })
}
