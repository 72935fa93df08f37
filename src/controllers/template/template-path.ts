import { pools } from '../../api/names.ts'
import { isPlatformDirectory, platformDirectories } from './platform.ts'

/** The meaning of a template's path. */
export interface TemplatePath {
  /** A built-in role, or `common` for all of them. */
  readonly scope: string
  /** `01-kubelet` becomes `01-<role>-kubelet`, `00` becomes `00-<role>`. */
  readonly part: string
  readonly platform: string
  readonly target: TemplateTarget
}

export type TemplateTarget =
  | { readonly type: 'file'; readonly path: string }
  | { readonly type: 'unit'; readonly unit: string }
  | { readonly type: 'dropin'; readonly unit: string; readonly dropin: string }
  | { readonly type: 'extension'; readonly extension: string }

export const commonScope = 'common'
const scopes: readonly string[] = [commonScope, ...Object.values(pools)]
const templateSuffix = '.liquid'
const layout = `<role>/<part>/<platform>/{files,units,extensions}/…${templateSuffix}`

/** Parses a template's path. A string is an error that continues a sentence after the path. */
export function readTemplatePath(path: string): TemplatePath | string {
  const [scope = '', part = '', platform = '', kind = '', ...rest] = path
    .slice(0, -templateSuffix.length)
    .split('/')
  if (rest.length === 0 || !path.endsWith(templateSuffix))
    return `is not a template: templates are at ${layout}`
  if (!scopes.includes(scope)) return `is for "${scope}"; the first directory is ${list(scopes)}`
  if (!/^\d\d(-[a-z0-9]+)*$/.test(part)) {
    return `has part "${part}"; parts have names like 05 or 05-mine`
  }
  if (!isPlatformDirectory(platform)) {
    return `is for platform "${platform}"; known platforms are ${list(platformDirectories)}`
  }
  const target = targetOf(kind, rest)
  return typeof target === 'string' ? target : { scope, part, platform, target }
}

/** A key for the target of a template: a later template with the same key replaces an earlier one. */
export function targetKey(target: TemplateTarget): string {
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

function targetOf(kind: string, rest: readonly string[]): TemplateTarget | string {
  const [first = '', second, ...more] = rest
  if (kind === 'files') return { type: 'file', path: `/${rest.join('/')}` }
  if (kind === 'extensions') {
    return rest.length === 1
      ? { type: 'extension', extension: first }
      : 'is too deep: an extension is a file directly in extensions/'
  }
  if (kind !== 'units') {
    return `is in "${kind}"; use files, units or extensions`
  }
  if (second === undefined) {
    return unitName.test(first)
      ? { type: 'unit', unit: first }
      : 'does not have the name of a systemd unit'
  }
  const unit = first.slice(0, -'.d'.length)
  const isDropin = first.endsWith('.d') && unitName.test(unit) && second.endsWith('.conf')
  return isDropin && more.length === 0
    ? { type: 'dropin', unit, dropin: second }
    : 'is not a drop-in: drop-ins are at units/<unit>.d/<name>.conf'
}

const list = (names: readonly string[]): string => names.join(', ')
