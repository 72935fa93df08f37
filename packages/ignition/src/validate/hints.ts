/*
 * Hints about the probable intention of the author. Render, plan and validate use the same hints.
 */

const butane = 'this is Butane syntax, not Ignition: convert the file with butane'
const butaneContents = `${butane}, or write "source": "data:," followed by the URL-encoded text`
const machineConfigField = 'this is a field of the spec of a MachineConfig, beside "config"'

/** Keys of Butane, Ignition spec 2 and MachineConfig that users write where spec 3 has no such key. */
const foreignKeys: ReadonlyMap<string, string> = new Map([
  ['inline', butaneContents],
  ['local', butaneContents],
  ['contents_local', butane],
  ['ssh_authorized_keys_local', butane],
  ['trees', butane],
  ['variant', butane],
  ['with_mount_unit', butane],
  ['boot_device', butane],
  ['openshift', butane],
  ['enable', 'this is a key of spec 2: write "enabled"'],
  ['networkd', 'this is a section of spec 2: write the files of systemd-networkd under "storage"'],
  ['osImageURL', machineConfigField],
  ['kernelType', machineConfigField],
  ['extensions', machineConfigField],
  ['fips', machineConfigField],
  ['kernelArguments', 'in a MachineConfig use spec.kernelArguments'],
])

/** A hint for a key that a struct with these fields does not have. */
export function keyHint(key: string, shape: Readonly<Record<string, unknown>>): string | undefined {
  const known = foreignKeys.get(key)
  if (known !== undefined) return known
  if (key.length > maxKeyLength) return undefined
  const names = Object.keys(shape)
  const joined = key.replaceAll(/[_-]/g, '').toLowerCase()
  const spelled = names.find((name) => name.toLowerCase() === joined)
  if (spelled !== undefined) return `this is Butane syntax; in Ignition it is "${spelled}"`
  const similar = names.filter((name) => isMisspelling(key.toLowerCase(), name.toLowerCase()))
  return similar.length === 1 ? `did you mean "${similar[0]}"?` : undefined
}

/** Longer than any key of the spec. Longer keys are not compared. */
const maxKeyLength = 40

/** Up to two letters are wrong, missing, extra or transposed; only one in a short key. */
function isMisspelling(key: string, name: string): boolean {
  const most = name.length > 4 ? 2 : 1
  return Math.abs(key.length - name.length) <= most && editDistance(key, name) <= most
}

/** The number of insertions, deletions, substitutions and transpositions (optimal string alignment). */
function editDistance(a: string, b: string): number {
  let [before, last]: [number[], number[]] = [[], Array.from({ length: b.length + 1 }, (_, i) => i)]
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = last[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      const exchanged = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      row[j] = Math.min(
        replaced,
        last[j]! + 1,
        row[j - 1]! + 1,
        exchanged ? before[j - 2]! + 1 : Infinity,
      )
    }
    ;[before, last] = [last, row]
  }
  return last[b.length]!
}

/** A hint for octal digits that were written as a decimal number: 644 is octal 1204. */
export function modeHint(mode: number | string): string | undefined {
  const digits = String(mode).replace(/^0/, '')
  if (!/^[0-7]{3,4}$/.test(digits)) return undefined
  return `did you mean octal 0${digits} = ${Number.parseInt(digits, 8)}?`
}

export const textSourceHint =
  'for contents in the config itself, write "data:," followed by the URL-encoded text'

export const butaneConfigHint = 'this is a Butane config: convert it with butane first'

const cryptHash = /^\$(?:1|2[abxy]?|5|6|7|y|gy|md5|sha1|sm3|sm3-yescrypt)\$/
const desHash = /^(?:[./0-9A-Za-z]{13}|_[./0-9A-Za-z]{19})$/

/** Whether the text is a hash of crypt(3), or a value that locks the account. */
export function isPasswordHash(text: string): boolean {
  const unlocked = text.replace(/^!{1,2}/, '')
  if (unlocked === '' || unlocked === '*' || unlocked === 'x') return true
  return cryptHash.test(unlocked) || desHash.test(unlocked)
}

export const passwordHint =
  'is not a crypt(3) hash, so password login is impossible; create a hash with "mkpasswd" or "openssl passwd -6", and change the password if this is the password in plain text'
