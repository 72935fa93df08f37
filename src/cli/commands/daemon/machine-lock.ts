import { once } from 'node:events'
import { stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { InvalidInput } from '@machinist/core/errors'

/**
 * Ensures that at most one daemon works on a machine, with an abstract socket named after the root directory. It needs no file,
 * does not depend on the path, and disappears with the process. The returned function releases it.
 */
export async function lockMachine(root: string): Promise<() => Promise<void>> {
  const { dev, ino } = await stat(root)
  const server = createServer((socket) => socket.destroy())
  server.listen({ path: `\0machinist-daemon-${dev}-${ino}` })
  try {
    await once(server, 'listening')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    throw new InvalidInput(`another daemon already works on ${root}: stop it first`)
  }
  return async () => {
    const closed = once(server, 'close')
    server.close()
    await closed
  }
}
