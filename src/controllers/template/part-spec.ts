import { encodeDataUrl } from '@machinist/core/encoding/data-url'
import type { Config, File, Unit } from '@machinist/ignition/spec/config'
import { pathText } from '@machinist/ignition/report/report'
import { validate } from '@machinist/ignition/validate/validate'
import type { MachineConfigSpec } from '../../api/kinds/machine-config.ts'
import { validateMachineConfig } from '../../api/validation/machine-config.ts'
import { ignitionVersion } from '../generated/files-spec.ts'
import type { TemplateHeader } from './header.ts'
import { TemplateProblem } from './liquid/liquid.ts'
import type { TemplateTarget } from './template-path.ts'

/** The output of one template. */
export interface RenderedPiece {
  readonly file: string
  readonly target: TemplateTarget
  readonly header: TemplateHeader
  readonly text: string
}

/** The spec of a part. Throws TemplateProblem for the first invalid piece. */
export function partSpec(name: string, pieces: readonly RenderedPiece[]): MachineConfigSpec {
  for (const piece of pieces) validatePieces(combinePieces([piece]), piece.file)
  const spec = combinePieces(pieces)
  validatePieces(spec, `MachineConfig ${name}`)
  return spec
}

/** Sorted, so that the order of directories does not matter. */
function combinePieces(pieces: readonly RenderedPiece[]): MachineConfigSpec {
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

function fileOf({ target, header: { mode, user, group }, text }: RenderedPiece): File[] {
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

function unitsOf(pieces: readonly RenderedPiece[]): Unit[] {
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

function unitOf(name: string, { enabled, mask }: TemplateHeader, text: string): Unit {
  return {
    name,
    ...(enabled !== undefined && { enabled }),
    ...(mask !== undefined && { mask }),
    ...(text !== '' && { contents: text }),
  }
}

/** Messages of the validation do not quote rendered contents. */
function validatePieces({ config, extensions }: MachineConfigSpec, subject: string): void {
  const invalid = validate(config as Config).entries.find(({ level }) => level === 'error')
  if (invalid) {
    const { path, message } = invalid
    throw new TemplateProblem(
      `${subject}: renders to an invalid config: ${pathText(path)} ${message}`,
    )
  }
  const [unknown] = validateMachineConfig({ ...(extensions && { extensions }) })
  if (unknown) throw new TemplateProblem(`${subject}: ${unknown.message}`)
}
