import { once } from 'node:events'
import type { WriteStream } from 'node:fs'
import { createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { systemClock } from '../../base/clock.ts'
import { InvalidInput, messageOf } from '../../base/errors.ts'
import { createLogger } from '../../base/log.ts'
import { styleFor } from '../commands/plan-style.ts'
import type { UpOptions } from '../commands/up.ts'
import { shipped } from '../shipped.ts'
import type { Terminal } from '../terminal.ts'
import { startCluster } from './cluster.ts'
import type { ClusterSize } from './cluster-size.ts'
import { apiLines, hints } from './welcome.ts'

/** A cluster in the foreground, with its status on the terminal, until somebody ends it. */
export async function runUp(
  options: Omit<UpOptions, 'nodes'>,
  size: ClusterSize | undefined,
  terminal: Terminal,
): Promise<void> {
  const data = resolve(options.data)
  const logFile = join(data, 'up.log')
  await mkdir(data, { recursive: true, mode: 0o700 })
  const file = createWriteStream(logFile, { flags: 'a', mode: 0o600 })
  await opened(file)
  // A full disk must not end the cluster: then there is no log.
  file.on('error', () => {})
  const log = createLogger({ clock: systemClock, write: (line) => file.write(line) })
  const stopped = terminal.stopped()
  try {
    const cluster = await startCluster({
      data,
      speed: options.speed,
      log,
      ...(size && { size }),
      ...(options.templates && { templates: options.templates }),
      apiIsUp: (api) => terminal.out(apiLines(api)),
    })
    try {
      terminal.out(hints(shipped('examples'), relative('.', logFile)))
      const { showStatus } = await import('./status-screen.ts')
      const output = terminal.window?.()
      const leave = showStatus(cluster.sight, {
        out: terminal.out,
        clock: systemClock,
        style: styleFor({ isTTY: output !== undefined }, process.env),
        ...(output && { window: output }),
      })
      await stopped
      leave()
    } finally {
      await cluster.stop()
    }
  } finally {
    await new Promise((done) => file.end(done))
  }
}

async function opened(file: WriteStream): Promise<void> {
  try {
    await once(file, 'open')
  } catch (error) {
    throw new InvalidInput(`cannot write the log: ${messageOf(error)}`)
  }
}
