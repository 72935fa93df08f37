import { lenientUtf8 } from '@machinist/core/bytes'
import type { Config } from '../config.ts'
import type { Parsed } from '../parse.ts'
import { parseConfig, parseConfigValue } from '../parse.ts'
import type { JsonNode } from '../parse-json.ts'
import { readJson } from '../parse-json.ts'
import { SourceMap } from '../parse-source.ts'
import { nodeOf } from '../parse-value.ts'
import type { Report } from '../report.ts'
import { specOf } from '../spec-version.ts'
import { parseSpec2 } from '../spec2/parse.ts'
import { upgradeSpec2 } from '../spec2/upgrade.ts'
import { readableSpec2Versions } from '../spec2/version.ts'
import { upgrade } from './upgrade.ts'
import type { AnyConfig } from './versions.ts'

export interface ParsedAsWritten {
  /** There if nothing in the report is fatal. Of the version that it was written in, or 2.2 if that is older still. */
  readonly config?: AnyConfig
  readonly report: Report
}

export interface ParsedAny {
  /** There if nothing in the report is fatal. Of the version that everything inside works with. */
  readonly config?: Config
  /** The version that the text names, even if that is not supported. */
  readonly version?: string
  readonly report: Report
}

/** Reads a config of any supported version, spec 2 included. */
export function parseAnyVersion(source: string | Uint8Array): ParsedAny {
  const text = typeof source === 'string' ? source : lenientUtf8(source)
  const parsed = parseConfig(text)
  if (!isSpec2Version(parsed)) return upgraded(parsed)
  const root = readJson(text)
  const old = fromSpec2(root, parsed)
  return { ...old, report: new SourceMap(text, root).located(old.report) }
}

/** The same without changing the version. */
export function parseAsWritten(source: string | Uint8Array): ParsedAsWritten {
  const text = typeof source === 'string' ? source : lenientUtf8(source)
  const parsed = parseConfig(text)
  if (!isSpec2Version(parsed)) return parsed
  const root = readJson(text)
  const old = parseSpec2(root)
  return { ...old, report: new SourceMap(text, root).located(old.report) }
}

/** As parseAnyVersion, for JSON that has been read already, such as what a MachineConfig holds. */
export function parseAnyVersionValue(value: unknown): ParsedAny {
  const parsed = parseConfigValue(value)
  return isSpec2Version(parsed) ? fromSpec2(nodeOf(value), parsed) : upgraded(parsed)
}

const isSpec2Version = ({ version = '' }: Parsed): boolean =>
  readableSpec2Versions.includes(version)

function upgraded(parsed: Parsed): ParsedAny {
  const { config } = parsed
  const spec = config && specOf(config.ignition.version)
  return spec ? { ...parsed, config: upgrade(config, spec) } : parsed
}

function fromSpec2(root: JsonNode, { version }: Parsed): ParsedAny {
  const { config: old, report } = parseSpec2(root)
  if (!old) return { version: version!, report }
  const { config, reasons } = upgradeSpec2(old)
  for (const { path, why } of reasons) report.add('error', path, why)
  return report.fatal ? { version: version!, report } : { config, version: version!, report }
}
