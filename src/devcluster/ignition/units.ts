import type { Config, Unit } from '@machinist/ignition/spec/config'
import { dropinPath, nodePaths, unitPath } from '../../api/node-paths.ts'
import type { Host } from '../../daemon/host/host.ts'
import { templateOf, unitName } from '../../daemon/host/unit-name.ts'
import { loadTextFile } from '../../daemon/host/simulated/state-file.ts'
import { removeTree, writeFile } from './entries.ts'

export type UnitHost = Pick<Host, 'files' | 'units'>

/** Writes units and drop-ins, masks, and the presets that systemd applies at the first boot. */
export async function createUnits(host: UnitHost, { systemd = {} }: Config): Promise<void> {
  const { units = [] } = systemd
  for (const unit of units) {
    await writeUnit(host, unit)
    await setMask(host, unit)
  }
  const lines = [...enableLines(units), ...(await disableLines(host, units))]
  if (lines.length === 0) return
  const before = (await loadTextFile(host.files, nodePaths.ignitionPreset)) ?? ''
  const text = `${before}${lines.map((line) => `${line}\n`).join('')}`
  await writeFile(host.files, nodePaths.ignitionPreset, Buffer.from(text))
}

/** A unit without contents, or with empty ones, is not written; a drop-in is, if it is empty. */
async function writeUnit({ files }: UnitHost, unit: Unit): Promise<void> {
  const { name, contents = '', dropins = [] } = unit
  for (const dropin of dropins) {
    if (dropin.contents === undefined) continue
    await writeFile(files, dropinPath(name, dropin.name), Buffer.from(dropin.contents))
  }
  if (contents !== '') await writeFile(files, unitPath(name), Buffer.from(contents))
}

async function setMask({ files }: UnitHost, { name, mask }: Unit): Promise<void> {
  const path = unitPath(name)
  if (mask === true) {
    await removeTree(files, path)
    await files.link(path, '/dev/null')
  }
  if (mask !== false) return
  const found = await files.stat(path)
  if (found?.type === 'symlink' && found.target === '/dev/null') await files.remove(path)
}

/** `enable a.service`; instances of one template in one line: `enable b@.service one two` */
function enableLines(units: readonly Unit[]): string[] {
  const instances = new Map<string, string[]>()
  for (const { name, enabled } of units) {
    if (!enabled) continue
    const parts = unitName(name)
    const isInstance = parts.instance !== undefined
    const of = isInstance ? templateOf(parts) : name
    instances.set(of, [...(instances.get(of) ?? []), ...(isInstance ? [parts.instance] : [])])
  }
  return [...instances].map(([name, of]) => ['enable', name, ...of].join(' '))
}

/** Presets of the first boot only enable units, so Ignition also disables them itself. */
async function disableLines({ units: host }: UnitHost, units: readonly Unit[]): Promise<string[]> {
  const disabled = units.filter(({ name, enabled }) => enabled === false && !name.includes('@'))
  const names = disabled.map(({ name }) => name)
  await host.disable(names)
  return names.map((name) => `disable ${name}`)
}
