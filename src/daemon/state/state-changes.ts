import { nodePaths } from '../../api/node-paths.ts'
import type { MachineConfig } from '../../api/resources.ts'
import type { Logger } from '@machinist/core/log'
import type { HostFiles } from '../host/host.ts'

/** Configs hold every secret that their files do. */
const secret = { mode: 0o600, uid: 0, gid: 0 }
const usual = { mode: 0o755, uid: 0, gid: 0 }

/** From here on the stored config counts; what first boot left for a machine that joins is put aside. */
export async function storeConfig(
  files: HostFiles,
  config: MachineConfig,
  image: string | undefined,
): Promise<void> {
  await files.makeDirectory('/etc', usual)
  await files.makeDirectory(nodePaths.state, usual)
  // First: without a config it counts for nothing, but a config without its image is another one.
  if (image === undefined) await files.remove(nodePaths.currentImage)
  else await files.write(nodePaths.currentImage, { content: Buffer.from(image), ...secret })
  const content = Buffer.from(JSON.stringify(config))
  await files.write(nodePaths.currentConfig, { content, ...secret })
  // Last: as long as it is there, the machine has not joined.
  if ((await files.look(nodePaths.nodeAnnotations)) === undefined) return
  await files.move(nodePaths.nodeAnnotations, nodePaths.nodeAnnotationsDone)
}

export const encapsulatedDone = `${nodePaths.encapsulated}.bak`

/** What Ignition leaves behind and nobody wants to find again. */
export async function tidyAfterIgnition(files: HostFiles, log: Logger): Promise<void> {
  if ((await files.look(nodePaths.encapsulated)) !== undefined) {
    log.info('first boot was not completed; its config is put aside', {
      path: nodePaths.encapsulated,
    })
    await files.move(nodePaths.encapsulated, encapsulatedDone)
  }
  await files.remove(nodePaths.ignitionPreset)
}

/** Once what it asked for has been done. */
export const removeForceFile = (files: HostFiles): Promise<void> => files.remove(nodePaths.force)
