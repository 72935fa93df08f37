import type { Logger } from '@machinist/core/log'
import { nodePaths } from '../../api/node-paths.ts'
import type { MachineConfig } from '../../api/kinds/resources.ts'
import type { HostFiles } from '../host/host.ts'

/** Configs hold the secrets of their files. */
const secret = { mode: 0o600, uid: 0, gid: 0 }
const usual = { mode: 0o755, uid: 0, gid: 0 }

/** Stores the current config, and renames the annotations file that first boot left. */
export async function storeConfig(
  files: HostFiles,
  config: MachineConfig,
  image: string | undefined,
): Promise<void> {
  await files.makeDirectory('/etc', usual)
  await files.makeDirectory(nodePaths.state, usual)
  // The image comes first: it has no meaning without a config, but a config without its image is a different one.
  if (image === undefined) await files.remove(nodePaths.currentImage)
  else await files.write(nodePaths.currentImage, { content: Buffer.from(image), ...secret })
  const content = Buffer.from(JSON.stringify(config))
  await files.write(nodePaths.currentConfig, { content, ...secret })
  // The annotations file comes last: while it exists, the machine has not joined.
  if ((await files.stat(nodePaths.nodeAnnotations)) === undefined) return
  await files.move(nodePaths.nodeAnnotations, nodePaths.nodeAnnotationsDone)
}

export const encapsulatedBackup = `${nodePaths.encapsulated}.bak`

/** Removes files that Ignition leaves and that are not needed after the first boot. */
export async function cleanUpAfterIgnition(files: HostFiles, log: Logger): Promise<void> {
  if ((await files.stat(nodePaths.encapsulated)) !== undefined) {
    log.info('first boot was not completed, rename its config', {
      path: nodePaths.encapsulated,
    })
    await files.move(nodePaths.encapsulated, encapsulatedBackup)
  }
  await files.remove(nodePaths.ignitionPreset)
}

/** Called once the forced rewrite is done. */
export const removeForceFile = (files: HostFiles): Promise<void> => files.remove(nodePaths.force)
