import { lenientUtf8 } from '@machinist/core/encoding/bytes'
import type { Config } from '../spec/config.ts'
import type { StructShape } from '../spec/field.ts'
import type { JsonNode } from '../json/json.ts'
import { JsonSyntaxError, readJson } from '../json/json.ts'
import { nodeOf } from '../json/value.ts'
import { Place, Report } from '../report/report.ts'
import { configShape } from '../spec/shape.ts'
import type { Spec } from '../spec/version.ts'
import { readVersion, specs, versionText } from '../spec/version.ts'
import { spec2Version } from '../spec/spec2-version.ts'
import { butaneConfigHint } from '../validate/hints.ts'
import { validate } from '../validate/validate.ts'
import { Decoder } from './decode.ts'
import { SourceMap } from './source-map.ts'

export interface ParsedConfig {
  /** Present if the report is not fatal. In the version of the source. */
  readonly config?: Config
  /** The version of the source, even if it is not supported. */
  readonly version?: string
  readonly report: Report
}

/** Parses and validates a config of spec 3 with the rules of Ignition. */
export function parseConfig(source: string | Uint8Array): ParsedConfig {
  const text = typeof source === 'string' ? source.toWellFormed() : lenientUtf8(source)
  const root = readText(text)
  if (root instanceof Report) return { report: root }
  const parsed = parseNode(root)
  if (parsed.report.entries.length === 0) return parsed
  return { ...parsed, report: new SourceMap(text, root).located(parsed.report) }
}

/** Same as `parseConfig` for a JSON value, such as the config of a MachineConfig. */
export function parseConfigValue(value: unknown): ParsedConfig {
  return parseNode(nodeOf(value))
}

function readText(text: string): JsonNode | Report {
  const report = new Report()
  try {
    if (text !== '') return readJson(text)
    report.add('error', [], 'the config is empty')
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error
    const position = new SourceMap(text).position(error.offset)
    report.add('error', [], `not valid JSON: ${error.message}`, position)
  }
  return report
}

function parseNode(root: JsonNode): ParsedConfig {
  const report = new Report()
  const version = versionIn(root, report)
  const spec = readVersion(version)
  if (!spec) {
    if (!report.fatal) report.add('error', ['ignition', 'version'], versionProblem(version, root))
    return version === '' ? { report } : { version, report }
  }
  const config = decode(root, spec, report)
  if (!report.fatal) report.addAll(validate(config).entries)
  return report.fatal ? { version, report } : { config, version, report }
}

const versionShape: StructShape = {
  ignition: { type: 'struct', shape: { version: configShape.ignition.shape.version } },
}

/** Parses the version first, because the rest depends on it; empty if there is none. */
function versionIn(root: JsonNode, report: Report): string {
  const start = { ignition: { version: '' } }
  const found = new Report()
  new Decoder('3.0').struct(root, versionShape, start, new Place(found))
  for (const { level, path, message } of found.entries) {
    // The other keys are parsed later, with the fields of this version.
    if (level === 'error') report.add(level, path, message)
  }
  return start.ignition.version
}

function versionProblem(version: string, root: JsonNode): string {
  const supported = `use one of ${[spec2Version, ...specs.map(versionText)].join(', ')}`
  const isButane = root.kind === 'object' && root.members.some(({ key }) => key === 'variant')
  if (version === '' && isButane) return `is missing; ${butaneConfigHint}`
  if (version === '') return `is missing; ${supported}`
  const isVersion = /^\d+\.\d+\.\d+/.test(version)
  return isVersion ? `is not a supported version; ${supported}` : `is not a version; ${supported}`
}

function decode(root: JsonNode, spec: Spec, report: Report): Config {
  const config = { ignition: { version: '' } } satisfies Config
  new Decoder(spec).struct(root, configShape, config, new Place(report))
  config.ignition.version = versionText(spec)
  return config
}
