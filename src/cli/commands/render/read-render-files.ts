import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { lenientUtf8 } from '@machinist/core/encoding/bytes'
import { InvalidInput } from '@machinist/core/errors'
import { isObject } from '@machinist/core/encoding/json'
import type { Resource } from '@machinist/core/objects/resource'
import { parseYamlDocuments } from '@machinist/core/encoding/yaml'
import type {
  ControllerConfig,
  MachineConfig,
  MachineConfigPool,
} from '../../../api/kinds/resources.ts'
import {
  controllerConfigs,
  machineConfigPools,
  machineConfigs,
} from '../../../api/kinds/resources.ts'
import { isKind, itemsOf } from '../../../views/documents.ts'
import type { Terminal } from '../../../process/terminal.ts'

/** The objects that rendering needs, by name. */
export interface RenderObjects {
  readonly machineConfigs: ReadonlyMap<string, MachineConfig>
  readonly pools: ReadonlyMap<string, MachineConfigPool>
  readonly controllerConfigs: ReadonlyMap<string, ControllerConfig>
}

interface ObjectIndex {
  readonly place: Resource
  readonly objects: Map<string, Record<string, unknown>>
  /** The origin of each object: the file, and the index of its argument. */
  readonly origins: Map<string, { readonly origin: string; readonly argument: number }>
}

/**
 * Reads the objects of files and directories and ignores other kinds. Subdirectories are not read. An object of a later argument
 * replaces an earlier one of the same kind and name: `-f dump.yaml changed.yaml`.
 */
export async function readRenderObjects(
  paths: readonly string[],
  terminal: Pick<Terminal, 'read' | 'error'>,
): Promise<RenderObjects> {
  const indexes: ObjectIndex[] = [machineConfigs, machineConfigPools, controllerConfigs].map(
    (place) => ({
      place,
      objects: new Map(),
      origins: new Map(),
    }),
  )
  for (const [argument, files] of (await Promise.all(paths.map(filesIn))).entries()) {
    for (const path of files) {
      const origin = path === '-' ? 'standard input' : path
      const text = lenientUtf8(await terminal.read(path))
      for (const object of parseYamlDocuments(text, origin).flatMap(itemsOf)) {
        const index = indexes.find(({ place }) => isKind(object, place))
        if (index) addObject(object, index, { origin, argument }, terminal)
      }
    }
  }
  const [configs, pools, controllers] = indexes.map(({ objects }) => objects as unknown)
  return {
    machineConfigs: configs as RenderObjects['machineConfigs'],
    pools: pools as RenderObjects['pools'],
    controllerConfigs: controllers as RenderObjects['controllerConfigs'],
  }
}

function addObject(
  object: Record<string, unknown>,
  { place, objects, origins }: ObjectIndex,
  from: { readonly origin: string; readonly argument: number },
  terminal: Pick<Terminal, 'error'>,
): void {
  const { origin, argument } = from
  const name = nameOf(object, place, origin)
  const before = origins.get(name)
  if (before?.argument === argument) {
    const where =
      before.origin === origin ? `twice in ${origin}` : `in ${before.origin} and in ${origin}`
    throw new InvalidInput(`${place.kind} ${name} is ${where}`)
  }
  if (before) {
    terminal.error(
      `machinist: ${place.kind} ${name} of ${origin} replaces the one of ${before.origin}\n`,
    )
  }
  objects.set(name, object)
  origins.set(name, from)
}

async function filesIn(path: string): Promise<string[]> {
  if (path === '-' || !(await isDirectory(path))) return [path]
  const names = (await readdir(path)).filter((name) => /\.(ya?ml|json)$/.test(name)).sort()
  if (names.length === 0) {
    throw new InvalidInput(`${path}: contains no .yaml, .yml or .json file`)
  }
  return names.map((name) => join(path, name))
}

/** False if it cannot be determined: reading it as a file then fails with a clear message. */
async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory()
  } catch {
    return false
  }
}

function nameOf(object: Record<string, unknown>, { kind }: Resource, origin: string): string {
  const { metadata } = object
  const name = isObject(metadata) ? metadata['name'] : undefined
  if (typeof name !== 'string' || name === '') {
    throw new InvalidInput(`${origin}: a ${kind} has no metadata.name`)
  }
  for (const field of ['labels', 'annotations']) {
    const value = (metadata as Record<string, unknown>)[field]
    const fits = isObject(value) && Object.values(value).every((text) => typeof text === 'string')
    if (value !== undefined && value !== null && !fits) {
      throw new InvalidInput(`${origin}: metadata.${field} of ${kind} ${name} must be strings`)
    }
  }
  if (kind !== machineConfigs.kind && !isObject(object['spec'])) {
    throw new InvalidInput(`${origin}: ${kind} ${name} has no spec`)
  }
  return name
}
