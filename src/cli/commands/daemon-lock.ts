import { once } from 'node:events'
import { stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { InvalidInput } from '@machinist/core/errors'

/**
 * Makes sure that one daemon at most works on a machine, by an abstract socket named after its root directory: it needs no
 * file, is found by whatever path somebody comes, and is gone with the process, however that ends. The answer lets go.
 */
export async function holdMachine(root: string): Promise<() => Promise<void>> {
  const { dev, ino } = await stat(root)
  const server = createServer((socket) => socket.destroy())
  server.listen({ path: `\0machinist-daemon-${dev}-${ino}` })
  try {
    await once(server, 'listening')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    throw new InvalidInput(`another daemon works on ${root} already: end it first`)
  }
  return async () => {
    const closed = once(server, 'close')
    server.close()
    await closed
  }
}
