import type { Directory, File, Node, Owner } from '../config.ts'
import type { Place } from '../report.ts'
import type { Spec } from '../spec-version.ts'
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
  checkMode(file.mode, place.at('mode'))
  if (file.overwrite === true && file.contents?.source === undefined) {
    place.at('overwrite').error('there is no contents.source that could overwrite the file')
  }
  if (file.contents) checkResource(file.contents, spec, place.at('contents'))
  for (const [i, addition] of (file.append ?? []).entries()) {
    checkResource(addition, spec, place.at('append', i))
  }
}

export function checkDirectory(directory: Directory, place: Place): void {
  checkNode(directory, place)
  checkMode(directory.mode, place.at('mode'))
}

function checkOwner({ id, name }: Owner, place: Place): void {
  if (id !== undefined && name) place.error('has both id and name; only one can count')
}

function checkMode(mode: number | undefined, place: Place): void {
  if (mode === undefined) return
  if (mode < 0 || mode > 0o7777) {
    place.error('must be between 0 and 4095 (octal 7777)')
  } else if (mode > 0o777) {
    place.warn(`has setuid, setgid or sticky bits (octal ${mode.toString(8)}), which are dropped`)
  }
}
