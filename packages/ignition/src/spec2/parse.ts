import { Decoder } from '../parse/decode.ts'
import type { JsonNode } from '../json/json.ts'
import { Place, Report } from '../report/report.ts'
import { internalSpec } from '../spec/version.ts'
import { warnOfMode } from '../validate/nodes.ts'
import { checkPasswords } from '../validate/passwords.ts'
import { readableSpec2Versions, spec2Version } from '../spec/spec2-version.ts'
import type { Spec2Config, Storage } from './config.ts'
import { spec2Shape } from './shape.ts'

export interface ParsedSpec2 {
  /** Present if the report is not fatal. Always in version 2.2.0. */
  readonly config?: Spec2Config
  readonly report: Report
}

/** Parses a config of spec 2. The conversion to spec 3 validates it. */
export function parseSpec2(root: JsonNode): ParsedSpec2 {
  const report = new Report()
  const place = new Place(report)
  const config: Spec2Config = { ignition: { version: '' } }
  // The table of spec 2 does not depend on versions of spec 3, so any version can be passed.
  new Decoder(internalSpec).struct(
    root,
    spec2Shape,
    config as unknown as Record<string, unknown>,
    place,
  )
  const { version } = config.ignition
  if (!report.fatal && !readableSpec2Versions.includes(version)) {
    report.add(
      'error',
      ['ignition', 'version'],
      `must be one of ${readableSpec2Versions.join(', ')}`,
    )
  }
  if (report.fatal) return { report }
  warnOfMistakes(config, place)
  return { config: as22(config), report }
}

/** Warns about probable mistakes here, because the conversion to spec 3 changes positions. */
function warnOfMistakes({ storage = {}, passwd }: Spec2Config, place: Place): void {
  const { files = [], directories = [] } = storage
  for (const [list, nodes] of Object.entries({ files, directories })) {
    for (const [i, { mode = 0 }] of nodes.entries()) {
      if (mode >= 0 && mode <= 0o7777) warnOfMode(mode, '3.0', place.at('storage', list, i, 'mode'))
    }
  }
  if (passwd) checkPasswords(passwd, place.at('passwd'))
}

/** Before 2.2 an omitted mode was 0: no permissions. */
function as22(config: Spec2Config): Spec2Config {
  const { ignition, storage, ...rest } = config
  if (ignition.version === spec2Version) return config
  return {
    ignition: { ...ignition, version: spec2Version },
    ...rest,
    ...(storage && { storage: withModes(storage) }),
  }
}

function withModes({ files, directories, ...rest }: Storage): Storage {
  const withMode = <T extends { mode?: number }>(node: T): T => ({ ...node, mode: node.mode ?? 0 })
  return {
    ...rest,
    ...(files && { files: files.map(withMode) }),
    ...(directories && { directories: directories.map(withMode) }),
  }
}
