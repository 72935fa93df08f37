import { join, resolve } from 'node:path'
import { systemClock } from '@machinist/core/clock'
import { createLogger } from '@machinist/core/log'
import { styleFor } from '../../text/style.ts'
import { kubectlScript, ownProgram, shipped } from '../../../process/shipped.ts'
import type { Terminal } from '../../../process/terminal.ts'
import { startCluster } from '../../../devcluster/cluster.ts'
import type { ClusterSize } from '../../../devcluster/size/cluster-size.ts'
import { createDataDirectory } from '../../../devcluster/data-directory.ts'
import { findKubectl } from '../../../devcluster/find-kubectl.ts'
import { openLogFile } from '../../../devcluster/log-file.ts'
import type { UpOptions } from './up.ts'
import { apiLines, headings, hints } from './welcome.ts'

/** Runs a cluster in the foreground, with its status on the terminal, until the user stops it. */
export async function runUp(
  options: Omit<UpOptions, 'nodes'>,
  size: ClusterSize | undefined,
  terminal: Terminal,
): Promise<void> {
  const data = resolve(options.data)
  const logFile = join(data, 'up.log')
  await createDataDirectory(data)
  const file = openLogFile(logFile)
  const log = createLogger({ clock: systemClock, write: (line) => file.write(line) })
  const stopped = terminal.stopped()
  const { port, context, speed, templates } = options
  try {
    const kubectl = await findKubectl(process.env['PATH'] ?? '', kubectlScript())
    const cluster = await startCluster({
      data,
      speed,
      log,
      ...(port !== undefined && { port }),
      ...(context !== undefined && { context }),
      ...(size && { size }),
      ...(templates && { templates }),
      apiIsUp: (api) => terminal.out(apiLines(api, kubectl)),
    })
    try {
      const places = { examples: shipped('examples'), program: ownProgram(), log: logFile }
      terminal.out(hints(places, cluster.size))
      const { showStatus } = await import('./status-screen.ts')
      const output = terminal.window?.()
      const closeStatus = showStatus(cluster.caches, {
        out: terminal.out,
        clock: systemClock,
        style: styleFor({ isTTY: output !== undefined }, process.env),
        headings: headings(cluster.api),
        ...(output && { window: output }),
      })
      await stopped
      closeStatus()
    } finally {
      await cluster.stop()
    }
  } finally {
    await file.close()
  }
}
