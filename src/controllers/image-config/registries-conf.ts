import { InvalidInput } from '@machinist/core/errors'
import { isObject } from '@machinist/core/json'
import type { Mirror, Registry } from '../../planner/registries.ts'
import { readRegistries } from '../../planner/registries.ts'
import { parseToml } from '@machinist/core/toml'

/** A whole registries.conf, in the second version of the format. */
export interface RegistriesConf {
  readonly registries: readonly Registry[]
  /** Undefined where it does not say, which is not the same as none. */
  readonly search?: readonly string[]
  readonly credentialHelpers?: readonly string[]
  readonly shortNameMode: string
  readonly layerStoreHelper: string
  readonly aliases?: Readonly<Record<string, string>>
}

export const scopeOf = ({ prefix, location }: Pick<Registry, 'prefix' | 'location'>): string =>
  prefix === '' ? location : prefix

/** Throws InvalidInput for what nodes could not read either. */
export function readRegistriesConf(text: string): RegistriesConf {
  const toml = parseToml(text)
  const { byScope, search } = readRegistries(text)
  const helpers = toml['credential-helpers']
  const { aliases } = toml
  if (helpers !== undefined && !isTexts(helpers))
    throw new InvalidInput('credential-helpers is no list of texts')
  if (aliases !== undefined && !(isObject(aliases) && isTexts(Object.values(aliases))))
    throw new InvalidInput('aliases is no table of texts')
  return {
    registries: [...byScope.values()],
    ...(toml['unqualified-search-registries'] !== undefined && { search }),
    ...(helpers !== undefined && { credentialHelpers: helpers }),
    shortNameMode: textIn(toml, 'short-name-mode'),
    layerStoreHelper: textIn(toml, 'additional-layer-store-auth-helper'),
    ...(aliases !== undefined && { aliases: aliases as Record<string, string> }),
  }
}

/** Byte for byte as the original's encoder writes it: the same content never changes a file. */
export function registriesText(conf: RegistriesConf): string {
  const { registries, search, credentialHelpers, shortNameMode, layerStoreHelper, aliases } = conf
  const head = [
    ...(search ? [`unqualified-search-registries = ${list(search)}`] : []),
    ...(credentialHelpers ? [`credential-helpers = ${list(credentialHelpers)}`] : []),
    `short-name-mode = ${text(shortNameMode)}`,
    `additional-layer-store-auth-helper = ${text(layerStoreHelper)}`,
  ]
  const names = Object.keys(aliases ?? {}).sort()
  const tail = names.map((name) => `  ${bareOrQuoted(name)} = ${text(aliases![name]!)}`)
  const lines = [
    ...head,
    ...registries.flatMap(registryLines),
    ...(aliases ? ['', '[aliases]', ...tail] : []),
  ]
  return lines.map((line) => `${line}\n`).join('')
}

function registryLines({
  prefix,
  location,
  insecure,
  blocked,
  byDigestOnly,
  mirrors,
}: Registry): string[] {
  return [
    '',
    '[[registry]]',
    `  prefix = ${text(prefix)}`,
    ...(location === '' ? [] : [`  location = ${text(location)}`]),
    ...(insecure ? ['  insecure = true'] : []),
    ...(blocked ? ['  blocked = true'] : []),
    ...(byDigestOnly ? ['  mirror-by-digest-only = true'] : []),
    ...mirrors.flatMap(mirrorLines),
  ]
}

function mirrorLines({ location, insecure, pull }: Mirror): string[] {
  return [
    '',
    '  [[registry.mirror]]',
    `    location = ${text(location)}`,
    ...(insecure ? ['    insecure = true'] : []),
    ...(pull === '' ? [] : [`    pull-from-mirror = ${text(pull)}`]),
  ]
}

/** JSON's way to write a text is one of TOML's. */
const text = (value: string): string => JSON.stringify(value)
const list = (values: readonly string[]): string => `[${values.map(text).join(', ')}]`
const bareOrQuoted = (key: string): string => (/^[\w-]+$/.test(key) ? key : text(key))

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string')

function textIn(table: Record<string, unknown>, key: string): string {
  const value = table[key] ?? ''
  if (typeof value === 'string') return value
  throw new InvalidInput(`${key} is no text`)
}
