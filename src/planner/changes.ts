import { isNeverRemoved, isNeverWritten } from './certificate-files.ts'
import type { Differences, FromTo } from './differences.ts'
import type { FileDifference } from './files.ts'
import { fileSummary } from './files.ts'
import { argumentsText } from './kernel-arguments.ts'
import { originsOf } from './origins.ts'
import type { OsCapabilities } from './os-capabilities.ts'
import type { PlanInput } from './plan-input.ts'
import { dropinSummary, saysNothing, unitSummary } from './units.ts'
import type { Change, NodeFacts } from './update-plan.ts'
import { keysSummary, passwordSummary } from './users.ts'
import { plain } from '@machinist/core/quoted'
import { listed } from './wording.ts'

/** The differences as the plan tells them: one sentence each, and where each comes from. */
export function changesOf(differences: Differences, input: PlanInput): Change[] {
  const origin = originsOf(input)
  const { add = [], remove = [] } = differences.kernelArguments ?? {}
  const changes = [...ignitionChanges(differences, input), ...osChanges(differences, input.facts)]
  return changes.map((change) => {
    const words = change.kind === 'kernelArguments' ? (add.length > 0 ? add : remove) : []
    const from = origin(change, words)
    return from === undefined ? change : Object.assign(change, { from })
  })
}

function ignitionChanges(differences: Differences, input: PlanInput): Change[] {
  return [
    ...differences.files.map((file): Change => ({
      kind: 'file',
      change: verb(file.before, file.after),
      path: file.path,
      summary: fileSentence(file, input),
    })),
    ...differences.units.map((unit): Change => ({
      kind: 'unit',
      change: saysNothing(unit.before) ? 'added' : saysNothing(unit.after) ? 'removed' : 'changed',
      name: unit.name,
      summary: unitSummary(unit),
    })),
    ...differences.dropins.map((dropin): Change => ({
      kind: 'dropin',
      change: verb(dropin.before, dropin.after),
      name: `${dropin.unit}/${dropin.dropin}`,
      summary: dropinSummary(dropin),
    })),
    ...[differences.keys ?? []].flat().map((keys): Change => ({
      kind: 'sshKeys',
      change: keys.before.length === 0 ? 'added' : keys.after.length === 0 ? 'removed' : 'changed',
      name: keys.user,
      summary: keysSummary(keys),
    })),
    ...differences.passwords.map((password): Change => ({
      kind: 'passwordHash',
      change: password.change,
      name: password.user,
      summary: passwordSummary(password),
    })),
  ]
}

function osChanges(differences: Differences, facts: NodeFacts): Change[] {
  const { kernelArguments, kernelType, extensions, osImage, fips } = differences
  const noted = (kind: Exclude<keyof OsCapabilities, 'driver'>): string =>
    facts.os[kind] ? '' : ', noted only'
  const changes: Change[] = []
  if (kernelArguments) {
    const { add, remove } = kernelArguments
    changes.push({
      kind: 'kernelArguments',
      change: remove.length === 0 ? 'added' : add.length === 0 ? 'removed' : 'changed',
      summary: `kernel arguments change: ${argumentsText(kernelArguments)}${noted('kernelArguments')}.`,
    })
  }
  if (kernelType) {
    const { from, to } = kernelType
    const summary = `the kernel changes from ${plain(from)} to ${plain(to)}${noted('kernelType')}.`
    changes.push({ kind: 'kernelType', change: 'changed', summary })
  }
  if (extensions) {
    changes.push({
      kind: 'extensions',
      change:
        extensions.from.length === 0 ? 'added' : extensions.to.length === 0 ? 'removed' : 'changed',
      summary: `extensions change: ${extensionsText(extensions)}${noted('extensions')}.`,
    })
  }
  if (osImage) {
    changes.push({
      kind: 'osImage',
      change: verb(osImage.from || undefined, osImage.to || undefined),
      summary: `${imageText(osImage, facts)}${noted('osImage')}.`,
    })
  }
  if (fips) {
    const summary = `FIPS mode would be switched ${fips.to ? 'on' : 'off'}.`
    changes.push({ kind: 'fips', change: 'changed', summary })
  }
  return changes
}

function fileSentence(file: FileDifference, input: PlanInput): string {
  if (!file.after && isNeverRemoved(file.path, input)) {
    return `${plain(file.path)} is no longer in the config but stays: certificates have their own way to the node.`
  }
  if (file.after && isNeverWritten(file.path, input)) {
    return `${plain(file.path)} differs but is not written: certificates have their own way to the node.`
  }
  return fileSummary(file)
}

function verb(before: unknown, after: unknown): Change['change'] {
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
  if (to === '') return 'no operating system image is named any more; the node keeps the one it has'
  const target = `the operating system image becomes ${plain(to)}`
  if (to === bootedImage) return `${target}, which the node runs already`
  return from === '' ? target : `${target} instead of ${plain(from)}`
}
