import type { HostFiles } from '../host.ts'
import { childOf } from '../paths.ts'
import { instanceOf, templateOf, unitName } from '../unit-name.ts'

const directories = [
  '/etc/systemd/system-preset',
  '/run/systemd/system-preset',
  '/usr/local/lib/systemd/system-preset',
  '/usr/lib/systemd/system-preset',
]

export interface PresetRule {
  readonly enable: boolean
  readonly pattern: string
  /** The instances of a template. */
  readonly instances: readonly string[]
}

/** All rules, in order. A file overrides files of the same name in directories of lower priority. */
export async function presetRules(files: HostFiles): Promise<PresetRule[]> {
  const byName = new Map<string, string>()
  for (const directory of directories) {
    for (const name of await files.list(directory)) {
      if (name.endsWith('.preset') && !byName.has(name)) byName.set(name, childOf(directory, name))
    }
  }
  const rules: PresetRule[] = []
  for (const name of [...byName.keys()].sort()) {
    const path = byName.get(name)!
    if ((await files.stat(path))?.type !== 'file') continue
    rules.push(...rulesIn(Buffer.from(await files.read(path)).toString()))
  }
  return rules
}

export function rulesIn(text: string): PresetRule[] {
  return text.split('\n').flatMap((line) => {
    const [verb, pattern, ...instances] = line.trim().split(/\s+/)
    if ((verb !== 'enable' && verb !== 'disable') || pattern === undefined) return []
    return [{ enable: verb === 'enable', pattern, instances }]
  })
}

export interface UnitPreset {
  readonly enable: readonly string[]
  readonly disable: readonly string[]
}

/** The result of the first matching rule. Without one, units are enabled. */
export function presetOf(rules: readonly PresetRule[], unit: string): UnitPreset {
  const name = unitName(unit)
  for (const { enable, pattern, instances } of rules) {
    const isMatch = matches(pattern, unit)
    const isTemplate = name.instance && instances.length > 0 && matches(pattern, templateOf(name))
    if (!isMatch && !(isTemplate && instances.includes(name.instance ?? ''))) continue
    if (!enable) return { enable: [], disable: [unit] }
    if (name.instance !== '' || instances.length === 0) return { enable: [unit], disable: [] }
    return { enable: instances.map((instance) => instanceOf(name, instance)), disable: [] }
  }
  return { enable: [unit], disable: [] }
}

/** Shell patterns: `*`, `?` and `[abc]`. */
function matches(pattern: string, unit: string): boolean {
  const source = pattern.replace(/\[!?[^\]/]{1,64}\]|[\\^$.*+?()[\]{}|]/g, (found) => {
    if (found === '*') return '.*'
    if (found === '?') return '.'
    if (found.length > 1) return found.replace(/^\[!/, '[^').replaceAll('\\', '\\\\')
    return `\\${found}`
  })
  try {
    return new RegExp(`^(?:${source})$`, 's').test(unit)
  } catch {
    // `[z-a]` and the like.
    return false
  }
}
