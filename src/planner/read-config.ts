import type { MachineConfig } from '../api/resources.ts'
import { kernelTypes } from '../api/names.ts'
import { isObject } from '@machinist/core/json'
import type { Config } from '@machinist/ignition/config'
import { parseAnyVersionValue } from '@machinist/ignition/convert/parse-any'
import type { Mistake } from '@machinist/ignition/report'
import { ignitionProblems, mistakesIn } from './ignition-problems.ts'
import { kernelWords } from './kernel-arguments.ts'

/** What a MachineConfig asks of the operating system, with all defaults filled in. */
export interface OsPart {
  readonly osImage: string
  readonly kernelType: string
  /** Each once. */
  readonly extensions: readonly string[]
  /** One argument each, as the kernel gets them. */
  readonly kernelArguments: readonly string[]
}

/** A MachineConfig with its Ignition part read and all defaults filled in. */
export interface ReadConfig extends OsPart {
  readonly name: string
  readonly ignition: Config
  readonly fips: boolean
}

export interface Reading {
  readonly config: ReadConfig
  /** What cannot be used, in sentences; where there is any, `config` is to be judged no further. */
  readonly problems: readonly string[]
  /** What can be used but was not meant: it reaches no node, or not as it is written. */
  readonly mistakes: readonly ConfigMistake[]
}

export interface ConfigMistake {
  readonly mistake: Mistake
  /** Where and what, in a sentence without the name of the MachineConfig. */
  readonly message: string
}

export type Side = 'old' | 'new'

/** The name of what a node is in before it has any config. */
const emptyName = 'mco-empty-mc'

/** Reads anything that calls itself a MachineConfig. Whatever is wrong with it is a problem, never an exception. */
export function readConfig(machineConfig: MachineConfig | undefined, side: Side): Reading {
  const problems: string[] = []
  const name = nameOf(machineConfig)
  const spec = fieldsOf(machineConfig?.spec, `spec of ${name}`, problems)
  const field = fieldReader(spec, name, problems)
  const { ignition, mistakes } = readIgnition(spec['config'], name, side, problems)
  const config: ReadConfig = { name, ignition, ...osPart(field), fips: field('fips', boolean) }
  return { config, problems, mistakes }
}

/** Without the Ignition part, which is the costly one. */
export function readOsPart(machineConfig: MachineConfig): OsPart {
  const spec = fieldsOf(machineConfig.spec, 'spec', [])
  return osPart(fieldReader(spec, '', []))
}

const osPart = (field: FieldReader): OsPart => ({
  osImage: field('osImageURL', text),
  kernelType: field('kernelType', text) || kernelTypes.default,
  extensions: [...new Set(field('extensions', texts))],
  kernelArguments: field('kernelArguments', texts).flatMap(kernelWords),
})

type FieldReader = <T>(key: string, type: FieldType<T>) => T

function fieldReader(
  spec: Readonly<Record<string, unknown>>,
  name: string,
  problems: string[],
): FieldReader {
  return (key, type) => {
    const value = Object.hasOwn(spec, key) ? spec[key] : undefined
    if (value === undefined || value === null) return type.absent
    if (type.fits(value)) return value
    problems.push(`spec.${key} of ${name} has to be ${type.called}`)
    return type.absent
  }
}

interface FieldType<T> {
  readonly called: string
  readonly absent: T
  readonly fits: (value: unknown) => value is T
}

const isText = (value: unknown): value is string => typeof value === 'string'

const text: FieldType<string> = { called: 'a text', absent: '', fits: isText }

const boolean: FieldType<boolean> = {
  called: 'true or false',
  absent: false,
  fits: (value) => typeof value === 'boolean',
}

const texts: FieldType<readonly string[]> = {
  called: 'a list of texts',
  absent: [],
  fits: (value): value is readonly string[] => Array.isArray(value) && value.every(isText),
}

function nameOf(machineConfig: MachineConfig | undefined): string {
  if (machineConfig === undefined) return emptyName
  const name: unknown = machineConfig.metadata?.name
  return isText(name) && name !== '' ? name : '(no name)'
}

function fieldsOf(value: unknown, what: string, problems: string[]): Record<string, unknown> {
  if (value === undefined || value === null) return {}
  if (isObject(value)) return value
  problems.push(`the ${what} has to be an object`)
  return {}
}

const none: readonly ConfigMistake[] = []
const nothing: Config = { ignition: { version: '3.5.0' } }

interface ReadIgnition {
  readonly ignition: Config
  readonly mistakes: readonly ConfigMistake[]
}

function readIgnition(value: unknown, name: string, side: Side, problems: string[]): ReadIgnition {
  if (saysNothing(value)) return { ignition: nothing, mistakes: none }
  const { config, report } = parseAnyVersionValue(value)
  if (config) return { ignition: config, mistakes: mistakesIn(report) }
  problems.push(...ignitionProblems(value, report, name, side))
  return { ignition: nothing, mistakes: none }
}

/** First boot leaves configs whose Ignition part is all there and all empty. */
function saysNothing(value: unknown, depth = 0): boolean {
  if (value === undefined || value === null || value === '') return true
  if (typeof value !== 'object' || depth > 4) return false
  return Object.values(value).every((inner) => saysNothing(inner, depth + 1))
}
