import { osRelease } from '../../os-release.ts'

/** What /etc/os-release says, as far as it matters here. */
export interface OsRelease {
  readonly id: string
  readonly versionId: string
  readonly variantId: string
}

export function readOsRelease(text: string): OsRelease {
  const fields = osRelease(text)
  return {
    id: fields.get('ID') ?? 'linux',
    versionId: versionOf(fields),
    variantId: fields.get('VARIANT_ID') ?? '',
  }
}

/** CoreOS calls itself by the version of OpenShift; what counts is the version of what it is made of. */
function versionOf(fields: ReadonlyMap<string, string>): string {
  const rhel = fields.get('RHEL_VERSION')
  if (rhel !== undefined) return rhel
  // 412.86.202301311516-0 is 4.12 on 8.6.
  const prefix = `${(fields.get('OPENSHIFT_VERSION') ?? '').replaceAll('.', '')}.`
  const version = fields.get('VERSION') ?? ''
  if (prefix !== '.' && version.startsWith(prefix)) return version.slice(prefix.length)
  return fields.get('VERSION_ID') ?? ''
}
