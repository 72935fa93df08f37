import { parseOsRelease } from '../../os-release.ts'

/** The fields of /etc/os-release that identify the OS. */
export interface OsIdentity {
  readonly id: string
  readonly versionId: string
  readonly variantId: string
}

export function readOsIdentity(text: string): OsIdentity {
  const fields = parseOsRelease(text)
  return {
    id: fields.get('ID') ?? 'linux',
    versionId: versionOf(fields),
    variantId: fields.get('VARIANT_ID') ?? '',
  }
}

/** The version of RHEL CoreOS is that of OpenShift; this returns the version of the underlying RHEL. */
function versionOf(fields: ReadonlyMap<string, string>): string {
  const rhel = fields.get('RHEL_VERSION')
  if (rhel !== undefined) return rhel
  // 412.86.202301311516-0 is 4.12 on 8.6.
  const prefix = `${(fields.get('OPENSHIFT_VERSION') ?? '').replaceAll('.', '')}.`
  const version = fields.get('VERSION') ?? ''
  if (prefix !== '.' && version.startsWith(prefix)) return version.slice(prefix.length)
  return fields.get('VERSION_ID') ?? ''
}
