import type { Mistake, Path, Report, ReportEntry } from '@machinist/ignition/report/report'
import { pathText } from '@machinist/ignition/report/report'
import { quoted } from '@machinist/core/quoted'

/** Limit for the number of listed problems. */
const maxListed = 50

/** Why an Ignition config is invalid, one sentence per problem. Includes certain mistakes, which are often the cause. */
export function ignitionProblems(
  value: unknown,
  report: Report,
  name: string,
  side: 'old' | 'new',
): string[] {
  const errors = [
    ...report.entries.filter(({ level }) => level === 'error'),
    ...report.entries.filter(({ mistake }) => mistake === 'certain'),
  ]
  const listed = errors.slice(0, maxListed).map((entry) => sentence(value, entry, name, side))
  const more = errors.length - listed.length
  return more > 0 ? [...listed, `and ${more} more problems in ${name}`] : listed
}

/** Probable mistakes in a valid Ignition config, with paths below `spec.config` of a MachineConfig. */
export function mistakesIn({ entries }: Report): { mistake: Mistake; message: string }[] {
  return entries
    .filter((entry) => entry.mistake !== undefined)
    .slice(0, maxListed)
    .map(({ path, message, mistake }) => ({
      mistake: mistake!,
      message: `spec.config${pathText(path).slice(1)} ${message}`,
    }))
}

function sentence(
  value: unknown,
  { path, message }: ReportEntry,
  name: string,
  side: 'old' | 'new',
): string {
  const isParseError = path.length === 0 || path[0] === 'ignition'
  const what = isParseError
    ? `parsing ${side} Ignition config of ${name} failed`
    : `invalid Ignition config found in ${name}`
  return `${what}: ${pathText(path)}${identityAt(value, path)} ${message}`
}

/** The path or name of a problem. Other parts of the config are not quoted, because they may be secret. */
function identityAt(value: unknown, path: Path): string {
  const last = path.at(-1)
  if (last !== 'path' && last !== 'name' && last !== 'version') return ''
  let found = value
  for (const step of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, step)) return ''
    found = (found as Record<string | number, unknown>)[step]
  }
  return typeof found === 'string' ? ` (${quoted(found)})` : ''
}
