import { lenientUtf8 } from '@machinist/core/encoding/bytes'
import type { Config } from '../spec/config.ts'
import type { ParsedConfig } from '../parse/parse.ts'
import { parseConfig, parseConfigValue } from '../parse/parse.ts'
import type { JsonNode } from '../json/json.ts'
import { readJson } from '../json/json.ts'
import { SourceMap } from '../parse/source-map.ts'
import { nodeOf } from '../json/value.ts'
import type { Report } from '../report/report.ts'
import { specOf } from '../spec/version.ts'
import { parseSpec2 } from '../spec2/parse.ts'
import { upgradeSpec2 } from '../spec2/upgrade.ts'
import { readableSpec2Versions } from '../spec/spec2-version.ts'
import { upgrade } from './upgrade.ts'
import type { AnyConfig } from './versions.ts'

export interface ParsedAsWritten {
  /** Present if the report is not fatal. In the version of the source; 2.2 for older ones. */
  readonly config?: AnyConfig
  readonly report: Report
}

export interface ParsedAny {
  /** Present if the report is not fatal. In the internal version. */
  readonly config?: Config
  /** The version of the source, even if it is not supported. */
  readonly version?: string
  readonly report: Report
}

/** Parses a config of any supported version, including spec 2. */
export function parseAnyVersion(source: string | Uint8Array): ParsedAny {
  const text = typeof source === 'string' ? source : lenientUtf8(source)
  const parsed = parseConfig(text)
  if (!isSpec2Version(parsed)) return upgraded(parsed)
  const root = readJson(text)
  const old = fromSpec2(root, parsed)
  return { ...old, report: new SourceMap(text, root).located(old.report) }
}

/** Same as `parseAnyVersion`, without converting the config. */
export function parseAsWritten(source: string | Uint8Array): ParsedAsWritten {
  const text = typeof source === 'string' ? source : lenientUtf8(source)
  const parsed = parseConfig(text)
  if (!isSpec2Version(parsed)) return parsed
  const root = readJson(text)
  const old = parseSpec2(root)
  return { ...old, report: new SourceMap(text, root).located(old.report) }
}

/** Same as `parseAnyVersion` for a JSON value, such as the config of a MachineConfig. */
export function parseAnyVersionValue(value: unknown): ParsedAny {
  const parsed = parseConfigValue(value)
  return isSpec2Version(parsed) ? fromSpec2(nodeOf(value), parsed) : upgraded(parsed)
}

const isSpec2Version = ({ version = '' }: ParsedConfig): boolean =>
  readableSpec2Versions.includes(version)

function upgraded(parsed: ParsedConfig): ParsedAny {
  const { config } = parsed
  const spec = config && specOf(config.ignition.version)
  return spec ? { ...parsed, config: upgrade(config, spec) } : parsed
}

function fromSpec2(root: JsonNode, { version }: ParsedConfig): ParsedAny {
  const { config: old, report } = parseSpec2(root)
  if (!old) return { version: version!, report }
  const { config, reasons } = upgradeSpec2(old)
  for (const { path, why } of reasons) report.add('error', path, why)
  return report.fatal ? { version: version!, report } : { config, version: version!, report }
}
