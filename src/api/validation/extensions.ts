/** The MCO releases whose behaviour Machinist supports; `main` is the newest. */
export type Release = '4.12' | '4.16' | 'main'

/** A Map, because a lookup in an object interns every name, which takes memory and time for many unknown names. */
type Extensions = ReadonlyMap<string, readonly string[]>

const always = {
  usbguard: ['usbguard'],
  kerberos: ['krb5-workstation', 'libkadm5'],
  'kernel-devel': ['kernel-devel', 'kernel-headers'],
  'sandboxed-containers': ['kata-containers'],
}

const withAlways = (more: Readonly<Record<string, readonly string[]>>): Extensions =>
  new Map(Object.entries({ ...always, ...more }))

const extensions: Readonly<Record<Release, Extensions>> = {
  '4.12': withAlways({}),
  '4.16': withAlways({
    ipsec: ['NetworkManager-libreswan', 'libreswan'],
    wasm: ['crun-wasm'],
  }),
  main: withAlways({
    ipsec: ['NetworkManager-libreswan', 'libreswan', 'openvswitch3.5-ipsec'],
    sysstat: ['sysstat'],
    'two-node-ha': ['pacemaker', 'pcs', 'fence-agents-all'],
  }),
}

export function supportedExtensions(release: Release = 'main'): string[] {
  return [...extensions[release].keys()].sort()
}

/** The packages of an extension; undefined if the extension is unknown. */
export function extensionPackages(
  extension: string,
  release: Release = 'main',
): readonly string[] | undefined {
  return extensions[release].get(extension)
}
