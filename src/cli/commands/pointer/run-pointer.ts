import { connect } from '../../../process/connect.ts'
import type { Terminal } from '../../../process/terminal.ts'
import type { PointerOptions } from './pointer.ts'
import { readPointer } from './read-pointer.ts'

export async function runPointer(options: PointerOptions, { out }: Terminal): Promise<void> {
  const { client, close } = await connect({ kubeconfig: options.kubeconfig })
  try {
    out(`${await readPointer(client, options.pool, options)}\n`)
  } finally {
    close()
  }
}
