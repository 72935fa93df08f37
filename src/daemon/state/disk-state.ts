import { messageOf } from '@machinist/core/errors'
import { isObject } from '@machinist/core/encoding/json'
import { nodeAnnotations } from '../../api/annotations.ts'
import { nodePaths } from '../../api/node-paths.ts'
import type { MachineConfig } from '../../api/kinds/resources.ts'
import type { HostFiles } from '../host/host.ts'

/** The daemon's state files on the machine. */
export interface DiskState {
  /** The current config of the machine. */
  readonly config?: MachineConfig
  /** The layered image of the current config. */
  readonly image?: string
  /** Annotations that first boot left for the Node; present while the machine joins. */
  readonly bootstrap?: Readonly<Record<string, string>>
  /** The config as the machine received it at first boot; only read while the machine joins. */
  readonly served?: MachineConfig
  /** An administrator requested that everything is rewritten. */
  readonly forced: boolean
  /** Files that exist but cannot be parsed, one sentence each. */
  readonly problems: readonly string[]
}

/** Larger than any config that an API server would store. */
const maxConfigBytes = 64 * 1024 * 1024

export async function readDiskState(files: HostFiles): Promise<DiskState> {
  const problems: string[] = []
  const read = async <T>(path: string, parse: (text: string) => T): Promise<T | undefined> => {
    if ((await files.stat(path)) === undefined) return undefined
    try {
      return parse(Buffer.from(await files.read(path, maxConfigBytes)).toString())
    } catch (error) {
      problems.push(`${path} cannot be used: ${messageOf(error)}`)
      return undefined
    }
  }
  const config = await read(nodePaths.currentConfig, parseMachineConfigFile)
  const image = await read(nodePaths.currentImage, (text) => text.trim())
  const bootstrap = await read(nodePaths.nodeAnnotations, parseAnnotations)
  const served = bootstrap && (await read(nodePaths.served, parseMachineConfigFile))
  return {
    ...(config && { config }),
    ...(image && { image }),
    ...(bootstrap && { bootstrap }),
    ...(served && { served }),
    forced: (await files.stat(nodePaths.force)) !== undefined,
    problems,
  }
}

export function parseMachineConfigFile(text: string): MachineConfig {
  const value = parseJson(text)
  const metadata = isObject(value) ? value['metadata'] : undefined
  const name = isObject(metadata) ? metadata['name'] : undefined
  if (typeof name !== 'string' || name === '')
    throw new Error('it is not a MachineConfig with a name')
  return value as MachineConfig
}

function parseAnnotations(text: string): Record<string, string> {
  const value = parseJson(text)
  if (!isObject(value)) throw new Error('it is not a JSON object of annotations')
  const texts = Object.entries(value).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  )
  const annotations = Object.fromEntries(texts)
  for (const key of [nodeAnnotations.currentConfig, nodeAnnotations.desiredConfig]) {
    if (!annotations[key]) throw new Error(`it does not contain the annotation ${key}`)
  }
  return annotations
}

/** Hides the message of JSON.parse, which quotes the text and may hold secrets. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error('it is not JSON')
  }
}
