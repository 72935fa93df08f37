/** The MCO releases whose behaviour Machinist supports; `main` is the newest. */
export type Release = '4.12' | '4.16' | 'main'

type Extensions = Readonly<Record<string, readonly string[]>>

const always = {
  usbguard: ['usbguard'],
  kerberos: ['krb5-workstation', 'libkadm5'],
  'kernel-devel': ['kernel-devel', 'kernel-headers'],
  'sandboxed-containers': ['kata-containers'],
}

const extensions: Readonly<Record<Release, Extensions>> = {
  '4.12': always,
  '4.16': {
    ...always,
    ipsec: ['NetworkManager-libreswan', 'libreswan'],
    wasm: ['crun-wasm'],
  },
  main: {
    ...always,
    ipsec: ['NetworkManager-libreswan', 'libreswan', 'openvswitch3.5-ipsec'],
    sysstat: ['sysstat'],
    'two-node-ha': ['pacemaker', 'pcs', 'fence-agents-all'],
  },
}

export function supportedExtensions(release: Release = 'main'): string[] {
  return Object.keys(extensions[release]).sort()
}

/** The packages of an extension; undefined if the extension is unknown. */
export function extensionPackages(
  extension: string,
  release: Release = 'main',
): readonly string[] | undefined {
  const known = extensions[release]
  return Object.hasOwn(known, extension) ? known[extension] : undefined
}
