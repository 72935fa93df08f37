import { nodeAnnotations } from '../../api/annotations.ts'
import { nodePaths } from '../../api/node-paths.ts'
import type { MachineConfig } from '../../api/resources.ts'
import { messageOf } from '@machinist/core/errors'
import { isObject } from '@machinist/core/json'
import type { HostFiles } from '../host/host.ts'

/** What the machine's own disk says about its config. */
export interface DiskState {
  /** The config that the disk is in. */
  readonly config?: MachineConfig
  /** The layered image that goes with it. */
  readonly image?: string
  /** What first boot left for the Node's annotations: there while the machine joins. */
  readonly bootstrap?: Readonly<Record<string, string>>
  /** The config as the machine was served at first boot; only read while it joins. */
  readonly served?: MachineConfig
  /** An administrator wants everything written anew. */
  readonly forced: boolean
  /** Files that are there but make no sense, in sentences. */
  readonly problems: readonly string[]
}

/** Larger than any config that an API server would store. */
const mostBytes = 64 * 1024 * 1024

export async function readDiskState(files: HostFiles): Promise<DiskState> {
  const problems: string[] = []
  const read = async <T>(path: string, parse: (text: string) => T): Promise<T | undefined> => {
    if ((await files.look(path)) === undefined) return undefined
    try {
      return parse(Buffer.from(await files.read(path, mostBytes)).toString())
    } catch (error) {
      problems.push(`${path} cannot be used: ${messageOf(error)}`)
      return undefined
    }
  }
  const config = await read(nodePaths.currentConfig, machineConfigIn)
  const image = await read(nodePaths.currentImage, (text) => text.trim())
  const bootstrap = await read(nodePaths.nodeAnnotations, annotationsIn)
  const served = bootstrap && (await read(nodePaths.served, machineConfigIn))
  return {
    ...(config && { config }),
    ...(image && { image }),
    ...(bootstrap && { bootstrap }),
    ...(served && { served }),
    forced: (await files.look(nodePaths.force)) !== undefined,
    problems,
  }
}

export function machineConfigIn(text: string): MachineConfig {
  const value = jsonIn(text)
  const metadata = isObject(value) ? value['metadata'] : undefined
  const name = isObject(metadata) ? metadata['name'] : undefined
  if (typeof name !== 'string' || name === '') throw new Error('it is no MachineConfig with a name')
  return value as MachineConfig
}

function annotationsIn(text: string): Record<string, string> {
  const value = jsonIn(text)
  if (!isObject(value)) throw new Error('it is no list of annotations')
  const texts = Object.entries(value).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  )
  const annotations = Object.fromEntries(texts)
  for (const key of [nodeAnnotations.currentConfig, nodeAnnotations.desiredConfig]) {
    if (!annotations[key]) throw new Error(`it does not say ${key}`)
  }
  return annotations
}

/** Without what JSON.parse says of the text: it may hold secrets. */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error('it is not JSON')
  }
}
