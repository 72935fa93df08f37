import { crdStream } from '../../api/crds.ts'
import { Command } from '../commander.ts'
import type { Terminal } from '../terminal.ts'

export function crdsCommand(terminal: Terminal): Command {
  return new Command('crds')
    .description('print every CustomResourceDefinition, ready for kubectl apply -f -')
    .action(() => terminal.out(crds()))
}

/** Every CustomResourceDefinition as one YAML stream. */
export function crds(): string {
  return crdStream()
}
