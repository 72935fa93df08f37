import { pools } from '../../api/names.ts'
import { isPlatformDirectory, platformDirectories } from './platform.ts'

/** Which MachineConfigs a template is for, and what it makes in them: all in its path. */
export interface TemplatePath {
  /** A built-in role, or `common` for all of them. */
  readonly scope: string
  /** `01-kubelet` becomes `01-<role>-kubelet`, `00` becomes `00-<role>`. */
  readonly part: string
  readonly platform: string
  readonly target: Target
}

export type Target =
  | { readonly type: 'file'; readonly path: string }
  | { readonly type: 'unit'; readonly unit: string }
  | { readonly type: 'dropin'; readonly unit: string; readonly dropin: string }
  | { readonly type: 'extension'; readonly extension: string }

export const everyRole = 'common'
const scopes: readonly string[] = [everyRole, ...Object.values(pools)]
const ending = '.liquid'
const layout = `<role>/<part>/<platform>/{files,units,extensions}/…${ending}`

/** What a template's path says, or why it says nothing, as a sentence that goes on after the path. */
export function readTemplatePath(path: string): TemplatePath | string {
  const [scope = '', part = '', platform = '', kind = '', ...rest] = path
    .slice(0, -ending.length)
    .split('/')
  if (rest.length === 0 || !path.endsWith(ending))
    return `is no template: templates are at ${layout}`
  if (!scopes.includes(scope)) return `is for "${scope}"; the first directory is ${list(scopes)}`
  if (!/^\d\d(-[a-z0-9]+)*$/.test(part)) {
    return `is in part "${part}"; a part is called like 05 or 05-mine`
  }
  if (!isPlatformDirectory(platform)) {
    return `is for platform "${platform}"; known are ${list(platformDirectories)}`
  }
  const target = targetOf(kind, rest)
  return typeof target === 'string' ? target : { scope, part, platform, target }
}

/** One text for what a template makes: a later template with the same one takes the place of an earlier. */
export function targetText(target: Target): string {
  switch (target.type) {
    case 'file':
      return target.path
    case 'unit':
      return target.unit
    case 'dropin':
      return `${target.unit}.d/${target.dropin}`
    case 'extension':
      return `extension ${target.extension}`
  }
}

/** `01-kubelet` of worker is MachineConfig `01-worker-kubelet`. */
export function machineConfigName(part: string, role: string): string {
  return `${part.slice(0, 2)}-${role}${part.slice(2)}`
}

const unitName = /^[\w:.\\@-]+\.(service|socket|target|path|timer|mount|automount|slice|swap)$/

function targetOf(kind: string, rest: readonly string[]): Target | string {
  const [first = '', second, ...more] = rest
  if (kind === 'files') return { type: 'file', path: `/${rest.join('/')}` }
  if (kind === 'extensions') {
    return rest.length === 1
      ? { type: 'extension', extension: first }
      : 'is too deep: an extension is a file directly in extensions/'
  }
  if (kind !== 'units') {
    return `is in "${kind}"; beside files, units and extensions there is nothing`
  }
  if (second === undefined) {
    return unitName.test(first)
      ? { type: 'unit', unit: first }
      : 'is not called like a unit of systemd'
  }
  const unit = first.slice(0, -'.d'.length)
  const fits = first.endsWith('.d') && unitName.test(unit) && second.endsWith('.conf')
  return fits && more.length === 0
    ? { type: 'dropin', unit, dropin: second }
    : 'is no drop-in: those are at units/<unit>.d/<name>.conf'
}

const list = (names: readonly string[]): string => names.join(', ')
