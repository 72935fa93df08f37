import type { HostFiles } from '../host.ts'
import { childOf, nameOf, parentOf } from '../paths.ts'
import { templateOf, unitName } from '../unit-name.ts'
import type { InstallSection } from './unit-install.ts'
import { installOf } from './unit-install.ts'

/** The search path of systemd; the first match wins. */
const directories = [
  '/etc/systemd/system',
  '/run/systemd/system',
  '/usr/local/lib/systemd/system',
  '/usr/lib/systemd/system',
] as const

export type FoundUnit =
  | { readonly type: 'masked' }
  | {
      readonly type: 'unit' | 'linked'
      /** The real name, if the unit was found by an alias. */
      readonly name: string
      readonly path: string
      readonly install: InstallSection
    }

/** More links than this are a loop. */
const maxAliases = 8

export async function findUnit(
  files: HostFiles,
  unit: string,
  links = 0,
): Promise<FoundUnit | undefined> {
  if (unit.includes('/') || links > maxAliases) return undefined
  const name = unitName(unit)
  const names = name.instance ? [unit, templateOf(name)] : [unit]
  for (const candidate of names) {
    for (const directory of directories) {
      const found = await unitAt(files, childOf(directory, candidate), unit, links)
      if (found) return found
    }
  }
  return undefined
}

async function unitAt(
  files: HostFiles,
  path: string,
  unit: string,
  links: number,
): Promise<FoundUnit | undefined> {
  if (links > maxAliases) return undefined
  const entry = await files.stat(path)
  if (entry?.type === 'file') {
    if (entry.size === 0) return { type: 'masked' }
    return { type: 'unit', name: unit, path, install: await installAt(files, path, unit) }
  }
  if (entry?.type !== 'symlink') return undefined
  if (entry.target === '/dev/null') return { type: 'masked' }
  const target = absolute(entry.target, parentOf(path))
  if (isSearched(parentOf(target))) {
    return nameOf(target) === nameOf(path)
      ? unitAt(files, target, unit, links + 1)
      : findUnit(files, nameOf(target), links + 1)
  }
  if ((await files.stat(target))?.type !== 'file') return undefined
  const install = await installAt(files, target, unit)
  return { type: 'linked', name: unit, path: target, install }
}

async function installAt(files: HostFiles, path: string, unit: string): Promise<InstallSection> {
  const texts = [await textOf(files, path)]
  for (const dropin of await dropinsOf(files, unit)) texts.push(await textOf(files, dropin))
  return installOf(texts)
}

/** Sorted by name. A drop-in overrides those of the same name in directories of lower priority. */
async function dropinsOf(files: HostFiles, unit: string): Promise<string[]> {
  const byName = new Map<string, string>()
  for (const directory of directories) {
    const dropins = `${directory}/${unit}.d`
    for (const name of await files.list(dropins)) {
      if (name.endsWith('.conf') && !byName.has(name)) byName.set(name, childOf(dropins, name))
    }
  }
  return [...byName.keys()].sort().map((name) => byName.get(name)!)
}

async function textOf(files: HostFiles, path: string): Promise<string> {
  if ((await files.stat(path))?.type !== 'file') return ''
  return Buffer.from(await files.read(path)).toString()
}

const isSearched = (directory: string): boolean =>
  directories.some((searched) => searched === directory)

/** Resolves the target of a link; `..` is resolved textually. */
function absolute(target: string, from: string): string {
  const parts: string[] = target.startsWith('/') ? [] : from.split('/').slice(1)
  for (const part of target.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  return `/${parts.join('/')}`
}
