import type { Directory, File, Node, Owner } from '../config.ts'
import type { Place } from '../report.ts'
import type { Spec } from '../spec-version.ts'
import { specAtLeast } from '../spec-version.ts'
import { modeHint } from './hints.ts'
import { checkPath } from './paths.ts'
import { checkResource } from './resources.ts'

/** What holds for files, directories and links alike. */
export function checkNode(node: Node, place: Place): void {
  checkPath(node.path, place.at('path'))
  if (node.user) checkOwner(node.user, place.at('user'))
  if (node.group) checkOwner(node.group, place.at('group'))
}

export function checkFile(file: File, spec: Spec, place: Place): void {
  checkNode(file, place)
  checkMode(file.mode, spec, place.at('mode'))
  if (file.overwrite === true && file.contents?.source === undefined) {
    place.at('overwrite').error('there is no contents.source that could overwrite the file')
  }
  if (file.contents) checkResource(file.contents, spec, place.at('contents'))
  for (const [i, addition] of (file.append ?? []).entries()) {
    checkResource(addition, spec, place.at('append', i))
  }
}

export function checkDirectory(directory: Directory, spec: Spec, place: Place): void {
  checkNode(directory, place)
  checkMode(directory.mode, spec, place.at('mode'))
}

function checkOwner({ id, name }: Owner, place: Place): void {
  if (id !== undefined && name) place.error('has both id and name; only one can count')
}

function checkMode(mode: number | undefined, spec: Spec, place: Place): void {
  if (mode === undefined) return
  if (mode >= 0 && mode <= 0o7777) return warnOfMode(mode, spec, place)
  const hint = modeHint(mode)
  place.error(`must be between 0 and 4095 (octal 7777)${hint === undefined ? '' : `; ${hint}`}`)
}

/** About a mode that Ignition accepts but does not set, or that is rarely meant. */
export function warnOfMode(mode: number, spec: Spec, place: Place): void {
  const hint = modeHint(mode)
  const octal = `octal ${mode.toString(8)}`
  if (mode > 0o777 && mode <= 777 && hint !== undefined) {
    // As octal digits it is an everyday mode; as the number it is, nobody wants it.
    place.warn(`${mode} is ${octal}; ${hint}`, 'certain')
  } else if (mode > 0o777 && specAtLeast(spec, '3.4')) {
    place.warn(`has setuid, setgid or sticky bits (${octal}), which a MachineConfig cannot have`)
  } else if (mode > 0o777) {
    place.warn(
      `has setuid, setgid or sticky bits (${octal}), which are dropped: Ignition knows them from version 3.4.0 on`,
      'likely',
    )
  } else if (decimalLookalikes.has(mode)) {
    place.warn(`${mode} is ${octal}; ${hint}`, 'likely')
  }
}

/** Everyday modes in octal digits that are unusual modes as decimal numbers, without a special bit that gives them away. */
const decimalLookalikes: ReadonlySet<number> = new Set([400, 440, 444, 500])
