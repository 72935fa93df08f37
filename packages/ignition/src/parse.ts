import { lenientUtf8 } from '@machinist/core/bytes'
import type { Config } from './config.ts'
import type { StructShape } from './field.ts'
import { Decoder } from './parse-decode.ts'
import type { JsonNode } from './parse-json.ts'
import { JsonSyntaxError, readJson } from './parse-json.ts'
import { SourceMap } from './parse-source.ts'
import { nodeOf } from './parse-value.ts'
import { Place, Report } from './report.ts'
import { configShape } from './shape.ts'
import type { Spec } from './spec-version.ts'
import { readVersion, specs, versionText } from './spec-version.ts'
import { spec2Version } from './spec2/version.ts'
import { butaneConfigHint } from './validate/hints.ts'
import { validate } from './validate/validate.ts'

export interface Parsed {
  /** There if nothing in the report is fatal. Still of the version that it was written in. */
  readonly config?: Config
  /** The version that the text names, even if that is not supported. */
  readonly version?: string
  readonly report: Report
}

/** Reads and validates a config of spec 3 as Ignition would. */
export function parseConfig(source: string | Uint8Array): Parsed {
  const text = typeof source === 'string' ? source.toWellFormed() : lenientUtf8(source)
  const root = readText(text)
  if (root instanceof Report) return { report: root }
  const parsed = parseNode(root)
  if (parsed.report.entries.length === 0) return parsed
  return { ...parsed, report: new SourceMap(text, root).located(parsed.report) }
}

/** The same for JSON that has been read already, such as what a MachineConfig holds. */
export function parseConfigValue(value: unknown): Parsed {
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

function parseNode(root: JsonNode): Parsed {
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

/** Finds the version before anything else is read, since all the rest depends on it; empty if there is none. */
function versionIn(root: JsonNode, report: Report): string {
  const start = { ignition: { version: '' } }
  const found = new Report()
  new Decoder('3.0').struct(root, versionShape, start, new Place(found))
  for (const { level, path, message } of found.entries) {
    // The other keys are read later, by whoever knows this version.
    if (level === 'error') report.add(level, path, message)
  }
  return start.ignition.version
}

function versionProblem(version: string, root: JsonNode): string {
  const supported = `use one of ${[spec2Version, ...specs.map(versionText)].join(', ')}`
  const isButane = root.kind === 'object' && root.members.some(({ key }) => key === 'variant')
  if (version === '' && isButane) return `is missing; ${butaneConfigHint}`
  if (version === '') return `is missing; ${supported}`
  const known = /^\d+\.\d+\.\d+/.test(version)
  return known ? `is a version that is not supported; ${supported}` : `is no version; ${supported}`
}

function decode(root: JsonNode, spec: Spec, report: Report): Config {
  const config = { ignition: { version: '' } } satisfies Config
  new Decoder(spec).struct(root, configShape, config, new Place(report))
  config.ignition.version = versionText(spec)
  return config
}
