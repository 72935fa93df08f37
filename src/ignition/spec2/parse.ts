import { Decoder } from '../parse-decode.ts'
import type { JsonNode } from '../parse-json.ts'
import { Place, Report } from '../report.ts'
import { internalSpec } from '../spec-version.ts'
import type { Spec2Config, Storage } from './config.ts'
import { spec2Shape } from './shape.ts'
import { readableSpec2Versions, spec2Version } from './version.ts'

export interface ParsedSpec2 {
  /** There if nothing in the report is fatal. Always of version 2.2.0. */
  readonly config?: Spec2Config
  readonly report: Report
}

/** Reads a config of spec 2. Whether it makes sense is found out when it is taken over to spec 3. */
export function parseSpec2(root: JsonNode): ParsedSpec2 {
  const report = new Report()
  const config = { ignition: { version: '' } } satisfies Spec2Config
  // The table of spec 2 does not speak of versions of spec 3, so any will do.
  new Decoder(internalSpec).struct(root, spec2Shape, config, new Place(report))
  const { version } = config.ignition
  if (!report.fatal && !readableSpec2Versions.includes(version)) {
    report.add(
      'error',
      ['ignition', 'version'],
      `must be one of ${readableSpec2Versions.join(', ')}`,
    )
  }
  return report.fatal ? { report } : { config: as22(config), report }
}

/** Before 2.2 a mode that was left out meant that nobody may do anything. */
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
