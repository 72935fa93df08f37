import { plain } from '@machinist/core/quoted'
import { isNeverRemoved, isNeverWritten } from '../differences/certificate-files.ts'
import type { Differences, FromTo } from '../differences/differences.ts'
import type { FileDifference } from '../differences/files.ts'
import { fileSummary } from '../differences/files.ts'
import { argumentsText } from '../differences/kernel-arguments.ts'
import { originsOf } from '../provenance/origins.ts'
import type { OsCapabilities } from '../model/os-capabilities.ts'
import type { PlanInput } from '../model/plan-input.ts'
import { dropinSummary, isUnspecified, unitSummary } from '../differences/units.ts'
import type { PlanChange, NodeFacts } from '../model/update-plan.ts'
import { keysSummary, passwordSummary } from '../differences/users.ts'
import { listed } from '../model/wording.ts'

/** Describes each difference in one sentence, with its origin. */
export function changesOf(differences: Differences, input: PlanInput): PlanChange[] {
  const origin = originsOf(input)
  const { add = [], remove = [] } = differences.kernelArguments ?? {}
  const changes = [...ignitionChanges(differences, input), ...osChanges(differences, input.facts)]
  return changes.map((change) => {
    const words = change.kind === 'kernelArguments' ? (add.length > 0 ? add : remove) : []
    const from = origin(change, words)
    return from === undefined ? change : Object.assign(change, { from })
  })
}

function ignitionChanges(differences: Differences, input: PlanInput): PlanChange[] {
  return [
    ...differences.files.map((file): PlanChange => ({
      kind: 'file',
      change: changeTypeOf(file.before, file.after),
      path: file.path,
      summary: fileSentence(file, input),
    })),
    ...differences.units.map((unit): PlanChange => ({
      kind: 'unit',
      change: isUnspecified(unit.before)
        ? 'added'
        : isUnspecified(unit.after)
          ? 'removed'
          : 'changed',
      name: unit.name,
      summary: unitSummary(unit),
    })),
    ...differences.dropins.map((dropin): PlanChange => ({
      kind: 'dropin',
      change: changeTypeOf(dropin.before, dropin.after),
      name: `${dropin.unit}/${dropin.dropin}`,
      summary: dropinSummary(dropin),
    })),
    ...[differences.keys ?? []].flat().map((keys): PlanChange => ({
      kind: 'sshKeys',
      change: keys.before.length === 0 ? 'added' : keys.after.length === 0 ? 'removed' : 'changed',
      name: keys.user,
      summary: keysSummary(keys),
    })),
    ...differences.passwords.map((password): PlanChange => ({
      kind: 'passwordHash',
      change: password.change,
      name: password.user,
      summary: passwordSummary(password),
    })),
  ]
}

function osChanges(differences: Differences, facts: NodeFacts): PlanChange[] {
  const { kernelArguments, kernelType, extensions, osImage, fips } = differences
  const limitOf = (kind: Exclude<keyof OsCapabilities, 'driver'>): string =>
    facts.os[kind] ? '' : ', recorded but not applied'
  const changes: PlanChange[] = []
  if (kernelArguments) {
    const { add, remove } = kernelArguments
    changes.push({
      kind: 'kernelArguments',
      change: remove.length === 0 ? 'added' : add.length === 0 ? 'removed' : 'changed',
      summary: `kernel arguments change: ${argumentsText(kernelArguments)}${limitOf('kernelArguments')}.`,
    })
  }
  if (kernelType) {
    const { from, to } = kernelType
    const summary = `the kernel changes from ${plain(from)} to ${plain(to)}${limitOf('kernelType')}.`
    changes.push({ kind: 'kernelType', change: 'changed', summary })
  }
  if (extensions) {
    changes.push({
      kind: 'extensions',
      change:
        extensions.from.length === 0 ? 'added' : extensions.to.length === 0 ? 'removed' : 'changed',
      summary: `extensions change: ${extensionsText(extensions)}${limitOf('extensions')}.`,
    })
  }
  if (osImage) {
    changes.push({
      kind: 'osImage',
      change: changeTypeOf(osImage.from || undefined, osImage.to || undefined),
      summary: `${imageText(osImage, facts)}${limitOf('osImage')}.`,
    })
  }
  if (fips) {
    const summary = `FIPS mode would be ${fips.to ? 'enabled' : 'disabled'}.`
    changes.push({ kind: 'fips', change: 'changed', summary })
  }
  return changes
}

function fileSentence(file: FileDifference, input: PlanInput): string {
  if (!file.after && isNeverRemoved(file.path, input)) {
    return `${plain(file.path)} is no longer in the config but is kept: the trust lane delivers certificates.`
  }
  if (file.after && isNeverWritten(file.path, input)) {
    return `${plain(file.path)} differs but is not written: the trust lane delivers certificates.`
  }
  return fileSummary(file)
}

function changeTypeOf(before: unknown, after: unknown): PlanChange['change'] {
  if (before === undefined) return 'added'
  return after === undefined ? 'removed' : 'changed'
}

function extensionsText({ from, to }: FromTo<readonly string[]>): string {
  const parts = [
    ['install', [...new Set(to).difference(new Set(from))]] as const,
    ['uninstall', [...new Set(from).difference(new Set(to))]] as const,
  ]
  return parts
    .filter(([, extensions]) => extensions.length > 0)
    .map(([what, extensions]) => `${what} ${listed(extensions.map(plain), 8)}`)
    .join('; ')
}

function imageText({ from, to }: FromTo<string>, { bootedImage }: NodeFacts): string {
  if (to === '') return 'the config no longer specifies an OS image; the node keeps its image'
  if (to === bootedImage) return `the OS image changes to ${plain(to)}, which the node already runs`
  const source = from === '' ? '' : ` from ${plain(from)}`
  return `the OS image changes${source} to ${plain(to)}`
}
