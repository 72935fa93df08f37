import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { ControllerConfig, MachineConfig, MachineConfigPool } from '../../api/resources.ts'
import { controllerConfigs, machineConfigPools, machineConfigs } from '../../api/resources.ts'
import { lenientUtf8 } from '@machinist/core/bytes'
import { InvalidInput } from '@machinist/core/errors'
import { isObject } from '@machinist/core/json'
import type { Resource } from '@machinist/core/resource'
import { apiVersionOf } from '@machinist/core/resource'
import { parseYamlDocuments } from '@machinist/core/yaml'
import type { Terminal } from '../../process/terminal.ts'

/** What rendering needs, by name. */
export interface RenderObjects {
  readonly machineConfigs: ReadonlyMap<string, MachineConfig>
  readonly pools: ReadonlyMap<string, MachineConfigPool>
  readonly controllerConfigs: ReadonlyMap<string, ControllerConfig>
}

interface Shelf {
  readonly place: Resource
  readonly objects: Map<string, Record<string, unknown>>
  /** Where each was read: the file, and which of the arguments named it. */
  readonly origins: Map<string, { readonly origin: string; readonly argument: number }>
}

/**
 * The objects in files and directories; other kinds are left out. A directory's own directories are not looked into. An object of
 * a later argument replaces one of the same kind and name: `-f dump.yaml changed.yaml`.
 */
export async function readRenderObjects(
  paths: readonly string[],
  terminal: Pick<Terminal, 'read' | 'error'>,
): Promise<RenderObjects> {
  const shelves: Shelf[] = [machineConfigs, machineConfigPools, controllerConfigs].map((place) => ({
    place,
    objects: new Map(),
    origins: new Map(),
  }))
  for (const [argument, files] of (await Promise.all(paths.map(filesIn))).entries()) {
    for (const path of files) {
      const origin = path === '-' ? 'standard input' : path
      const text = lenientUtf8(await terminal.read(path))
      for (const object of parseYamlDocuments(text, origin).flatMap(itemsOf)) {
        const shelf = shelves.find(({ place }) => isA(object, place))
        if (shelf) put(object, shelf, { origin, argument }, terminal)
      }
    }
  }
  const [configs, pools, controllers] = shelves.map(({ objects }) => objects as unknown)
  return {
    machineConfigs: configs as RenderObjects['machineConfigs'],
    pools: pools as RenderObjects['pools'],
    controllerConfigs: controllers as RenderObjects['controllerConfigs'],
  }
}

function put(
  object: Record<string, unknown>,
  { place, objects, origins }: Shelf,
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
    throw new InvalidInput(`${path}: holds no file that ends in .yaml, .yml or .json`)
  }
  return names.map((name) => join(path, name))
}

/** What cannot be looked at is read as a file, and fails there with a clear message. */
async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory()
  } catch {
    return false
  }
}

/** What `kubectl get -o yaml` prints for many is one object with the many inside. */
export function itemsOf(document: unknown): Record<string, unknown>[] {
  if (!isObject(document)) return []
  const { kind, items } = document
  if (typeof kind !== 'string' || !kind.endsWith('List') || !Array.isArray(items)) return [document]
  // The items of a typed list may leave out what the list says.
  const itemKind = kind.slice(0, -'List'.length)
  return items
    .filter(isObject)
    .map((item) => (itemKind === '' ? item : Object.assign({ kind: itemKind }, item)))
}

export function isA({ kind, apiVersion }: Record<string, unknown>, place: Resource): boolean {
  return kind === place.kind && (apiVersion === undefined || apiVersion === apiVersionOf(place))
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
      throw new InvalidInput(`${origin}: metadata.${field} of ${kind} ${name} has to be texts`)
    }
  }
  if (kind !== machineConfigs.kind && !isObject(object['spec'])) {
    throw new InvalidInput(`${origin}: ${kind} ${name} has no spec`)
  }
  return name
}
