import { messageOf } from '@machinist/core/errors'
import type { Config, File, Owner, Resource } from '@machinist/ignition/spec/config'
import { contentFacts } from '@machinist/ignition/content-facts'
import { sameFile } from '@machinist/ignition/equality'
import { plain } from '@machinist/core/quoted'
import { byText, octal, sizeText } from '../model/wording.ts'

/** A file that differs between two configs; absent in a config that does not have it. */
export interface FileDifference {
  readonly path: string
  readonly before?: File
  readonly after?: File
}

export function filesOf(config: Config): ReadonlyMap<string, File> {
  return new Map((config.storage?.files ?? []).map((file) => [file.path, file]))
}

/** Compares decoded content, mode and owner. Sorted by path. */
export function differingFiles(
  before: ReadonlyMap<string, File>,
  after: ReadonlyMap<string, File>,
): FileDifference[] {
  const differing: FileDifference[] = []
  for (const [path, file] of after) {
    const old = before.get(path)
    if (!old) differing.push({ path, after: file })
    else if (!identical(old, file) && !sameFile(old, file)) {
      differing.push({ path, before: old, after: file })
    }
  }
  for (const [path, file] of before) {
    if (!after.has(path)) differing.push({ path, before: file })
  }
  return differing.sort((a, b) => byText(a.path, b.path))
}

/** Whether two files have the same encoded content, so that decoding is not needed. */
export function identical(a: File, b: File): boolean {
  return (
    sameSource(a.contents, b.contents) &&
    modeOf(a) === modeOf(b) &&
    ownerOf(a) === ownerOf(b) &&
    !a.append?.length &&
    !b.append?.length
  )
}

const modeOf = (file: File): number => file.mode ?? 0o644

/** `root:root`, `1000:core` */
const ownerOf = (file: File): string => `${ownerText(file.user)}:${ownerText(file.group)}`

/** Describes the change of a file without quoting its content. */
export function fileSummary({ path, before, after }: FileDifference): string {
  if (!after) {
    return `${plain(path)} is removed; a file of the operating system at this path is restored.`
  }
  if (!before) return `${plain(path)} is created: ${contentText(after)}, ${accessText(after)}.`
  const parts = [
    ...changed('content', contentText(before), contentText(after)),
    ...changed('mode', octal(modeOf(before)), octal(modeOf(after))),
    ...changed('owner', ownerOf(before), ownerOf(after)),
  ]
  return `${plain(path)} changes: ${parts.join('; ')}.`
}

function sameSource(a: Resource = {}, b: Resource = {}): boolean {
  return (
    a.source === b.source &&
    (a.compression ?? '') === (b.compression ?? '') &&
    a.verification?.hash === b.verification?.hash
  )
}

function changed(what: string, before: string, after: string): string[] {
  return before === after ? [] : [`${what} from ${before} to ${after}`]
}

const accessText = (file: File): string => `mode ${octal(modeOf(file))}, owner ${ownerOf(file)}`

function contentText(file: File): string {
  try {
    const content = contentFacts(file.contents)
    if (!content.inline) return `content at a ${content.url.split(':', 1)[0]}: URL`
    return sizeText(content.size, content.sha256)
  } catch (error) {
    return `invalid content (${messageOf(error)})`
  }
}

function ownerText({ id, name }: Owner = {}): string {
  if (name !== undefined && name !== '') return plain(name)
  return id === undefined || id === 0 ? 'root' : String(id)
}
