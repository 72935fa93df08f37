import type { Directory, File, Node, Owner } from '../spec/config.ts'
import type { Place } from '../report/report.ts'
import type { Spec } from '../spec/version.ts'
import { specAtLeast } from '../spec/version.ts'
import { modeHint } from './hints.ts'
import { checkPath } from './paths.ts'
import { checkResource } from './resources.ts'

/** The rules for files, directories and links. */
export function checkNode(node: Node, place: Place): void {
  checkPath(node.path, place.at('path'))
  if (node.user) checkOwner(node.user, place.at('user'))
  if (node.group) checkOwner(node.group, place.at('group'))
}

export function checkFile(file: File, spec: Spec, place: Place): void {
  checkNode(file, place)
  checkMode(file.mode, spec, place.at('mode'))
  if (file.overwrite === true && file.contents?.source === undefined) {
    place.at('overwrite').error('requires contents.source')
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
  if (id !== undefined && name) place.error('has both id and name; set only one')
}

function checkMode(mode: number | undefined, spec: Spec, place: Place): void {
  if (mode === undefined) return
  if (mode >= 0 && mode <= 0o7777) return warnOfMode(mode, spec, place)
  const hint = modeHint(mode)
  place.error(`must be between 0 and 4095 (octal 7777)${hint === undefined ? '' : `; ${hint}`}`)
}

/** Warns about a mode that Ignition accepts but does not set, or that is rarely intended. */
export function warnOfMode(mode: number, spec: Spec, place: Place): void {
  const hint = modeHint(mode)
  const octal = `octal ${mode.toString(8)}`
  if (mode > 0o777 && mode <= 777 && hint !== undefined) {
    // A common mode if read as octal digits, but never intended as a decimal number.
    place.warn(`${mode} is ${octal}; ${hint}`, 'certain')
  } else if (mode > 0o777 && specAtLeast(spec, '3.4')) {
    place.warn(`has setuid, setgid or sticky bits (${octal}), which a MachineConfig cannot have`)
  } else if (mode > 0o777) {
    place.warn(
      `has setuid, setgid or sticky bits (${octal}), which are dropped: Ignition supports them from version 3.4.0`,
      'likely',
    )
  } else if (decimalLookalikes.has(mode)) {
    place.warn(`${mode} is ${octal}; ${hint}`, 'likely')
  }
}

/** Common modes in octal digits that are valid but unusual modes as decimal numbers. */
const decimalLookalikes: ReadonlySet<number> = new Set([400, 440, 444, 500])
