import { createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { systemClock } from '../../base/clock.ts'
import { createLogger } from '../../base/log.ts'
import { styleFor } from '../commands/plan-style.ts'
import type { UpOptions } from '../commands/up.ts'
import { shipped } from '../shipped.ts'
import type { Terminal } from '../terminal.ts'
import { startCluster } from './cluster.ts'
import { parseSize } from './cluster-size.ts'
import { apiLines, hints } from './welcome.ts'

/** A cluster in the foreground, with its status on the terminal, until somebody ends it. */
export async function runUp(options: UpOptions, terminal: Terminal): Promise<void> {
  const size = options.nodes === undefined ? undefined : parseSize(options.nodes)
  const data = resolve(options.data)
  const logFile = join(data, 'up.log')
  await mkdir(data, { recursive: true, mode: 0o700 })
  const file = createWriteStream(logFile, { flags: 'a', mode: 0o600 })
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
