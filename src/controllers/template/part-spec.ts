import type { MachineConfigSpec } from '../../api/kinds/machine-config.ts'
import { validateMachineConfig } from '../../api/validation/machine-config.ts'
import { encodeDataUrl } from '@machinist/core/data-url'
import type { Config, File, Unit } from '@machinist/ignition/config'
import { pathText } from '@machinist/ignition/report'
import { validate } from '@machinist/ignition/validate/validate'
import { ignitionVersion } from '../generated/files-spec.ts'
import type { Header } from './header.ts'
import { TemplateProblem } from './liquid.ts'
import type { Target } from './template-path.ts'

/** What one template comes to. */
export interface Piece {
  readonly file: string
  readonly target: Target
  readonly header: Header
  readonly text: string
}

/** The pieces of one part as a MachineConfig has them. Throws TemplateProblem for the first that is not valid. */
export function partSpec(name: string, pieces: readonly Piece[]): MachineConfigSpec {
  for (const piece of pieces) check(together([piece]), piece.file)
  const spec = together(pieces)
  check(spec, `MachineConfig ${name}`)
  return spec
}

/** Always in the same order, whichever directories the pieces come from. */
function together(pieces: readonly Piece[]): MachineConfigSpec {
  const files = pieces.flatMap(fileOf).sort((a, b) => (a.path < b.path ? -1 : 1))
  const units = unitsOf(pieces)
  const extensions = pieces
    .flatMap(({ target }) => (target.type === 'extension' ? target.extension : []))
    .sort()
  const config: Config = {
    ignition: { version: ignitionVersion },
    ...(files.length > 0 && { storage: { files } }),
    ...(units.length > 0 && { systemd: { units } }),
  }
  return { config, ...(extensions.length > 0 && { extensions }) }
}

function fileOf({ target, header: { mode, user, group }, text }: Piece): File[] {
  if (target.type !== 'file') return []
  const file = {
    path: target.path,
    mode,
    overwrite: true,
    ...(user !== undefined && { user: { name: user } }),
    ...(group !== undefined && { group: { name: group } }),
    contents: { source: encodeDataUrl(text) },
  }
  return [file]
}

function unitsOf(pieces: readonly Piece[]): Unit[] {
  const units = new Map<string, Unit>()
  const dropins = new Map<string, { name: string; contents: string }[]>()
  for (const { target, header, text } of pieces) {
    if (target.type === 'unit') units.set(target.unit, unitOf(target.unit, header, text))
    if (target.type !== 'dropin') continue
    const own = [...(dropins.get(target.unit) ?? []), { name: target.dropin, contents: text }]
    dropins.set(target.unit, own)
  }
  return [...new Set([...units.keys(), ...dropins.keys()])].sort().map((name) => {
    const own = dropins.get(name)?.sort((a, b) => (a.name < b.name ? -1 : 1))
    return Object.assign({ name }, units.get(name), own && { dropins: own })
  })
}

function unitOf(name: string, { enabled, mask }: Header, text: string): Unit {
  return {
    name,
    ...(enabled !== undefined && { enabled }),
    ...(mask !== undefined && { mask }),
    ...(text !== '' && { contents: text }),
  }
}

/** Neither Ignition's words nor ours quote anything of what was rendered. */
function check({ config, extensions }: MachineConfigSpec, what: string): void {
  const wrong = validate(config as Config).entries.find(({ level }) => level === 'error')
  if (wrong) {
    const { path, message } = wrong
    throw new TemplateProblem(`${what}: comes to something invalid: ${pathText(path)} ${message}`)
  }
  const [unknown] = validateMachineConfig({ ...(extensions && { extensions }) })
  if (unknown) throw new TemplateProblem(`${what}: ${unknown.message}`)
}
