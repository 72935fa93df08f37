import type { ConversionReason } from '@machinist/ignition/report/cannot-convert'
import type { Path } from '@machinist/ignition/report/report'
import { pathText } from '@machinist/ignition/report/report'
import type { Config } from '@machinist/ignition/spec/config'
import type { MachineConfig } from '../../api/kinds/resources.ts'
import { provenanceOf } from '../../planner/provenance/provenance.ts'
import type { Provenance } from '../../planner/model/plan-input.ts'
import type { LostField } from './refusal.ts'

/** The reasons against a conversion, with the MachineConfigs that set the fields. */
export function lostFields(
  reasons: readonly ConversionReason[],
  config: Config,
  rendered: Readonly<MachineConfig>,
): LostField[] {
  const provenance = provenanceOf(rendered)
  return reasons.map(({ path, why }) => {
    const machineConfig = provenance && originOf(path, config, provenance)
    return {
      field: pathText(path),
      problem: why,
      ...(machineConfig !== undefined && { machineConfig }),
    }
  })
}

/** The MachineConfig of a field, if provenance records it. */
function originOf(path: Path, config: Config, provenance: Provenance): string | undefined {
  const [section, list, index, inner, innerIndex] = path
  const keys = lists[`${section}.${list}`]
  if (!keys || typeof index !== 'number') return undefined
  const dropin = inner === 'dropins' ? Number(innerIndex) : undefined
  for (const [kind, key] of keys(config, index, dropin)) {
    const known = provenance[kind] ?? {}
    if (key !== undefined && Object.hasOwn(known, key)) return known[key]
  }
  return undefined
}

type RecordedKey = readonly [kind: keyof Provenance, key: string | undefined]
type KeysOfItem = (config: Config, index: number, dropin: number | undefined) => RecordedKey[]

/** Where provenance records the items of these lists, the most specific first. It does not record disks and other sections. */
const lists: Readonly<Record<string, KeysOfItem>> = {
  'storage.files': ({ storage }, index) => [['file', storage?.files?.[index]?.path]],
  'systemd.units': ({ systemd }, index, dropin = -1) => {
    const { name, dropins } = systemd?.units?.[index] ?? {}
    const inner = dropins?.[dropin]?.name
    return [
      ['dropin', inner && `${name}/${inner}`],
      ['unit', name],
    ]
  },
  'passwd.users': ({ passwd }, index) => {
    const name = passwd?.users?.[index]?.name
    return [
      ['sshKeys', name],
      ['passwordHash', name],
    ]
  },
}
