import { forbiddenObject } from '../authorization/forbidden.ts'
import type { Authorizer } from '../authorization/authorizer.ts'
import { sameJson } from '@machinist/core/json'
import type { UserInfo } from '../authentication/user-info.ts'
import { mastersGroup } from '../authentication/user-info.ts'
import { readSigningRequest } from '../kinds/certificates/signing-request.ts'
import { specOf, statusOf, textOf } from '../kinds/rules/fields.ts'
import type { Refusal } from '../refusal.ts'
import type { Admission, AdmittedWrite } from './api-parts.ts'

const group = 'certificates.k8s.io'
const resource = 'certificatesigningrequests'
const clientSigner = 'kubernetes.io/kube-apiserver-client'

/** Who may approve and sign is said for each signer; and nobody asks to be a master. */
export function signerAdmission(authorizer: Pick<Authorizer, 'allowed'>): Admission {
  const may = (user: UserInfo, verb: string, signer: string): boolean =>
    [signer, `${signer.split('/')[0]}/*`].some(
      (name) => authorizer.allowed(user, { verb, group, resource: 'signers', name }).allowed,
    )
  return (write) => {
    if (write.after.kind !== 'CertificateSigningRequest') return
    if (!write.after.apiVersion?.startsWith(`${group}/`)) return
    const verb = verbOf(write)
    const signer = textOf(specOf(write.before ?? write.after)['signerName'])
    if (verb !== undefined && !may(write.user, verb, signer)) {
      const why = `user not permitted to ${verb} requests with signerName ${JSON.stringify(signer)}`
      throw refused(write, why)
    }
    if (write.subresource === undefined && signer === clientSigner && asksForMasters(write)) {
      throw refused(
        write,
        `use of ${clientSigner} signer with ${mastersGroup} group is not allowed`,
      )
    }
  }
}

/** What the door that is used asks of the writer; a status without news asks nothing. */
function verbOf({ subresource, after, before }: AdmittedWrite): string | undefined {
  if (before === undefined || subresource === undefined) return undefined
  if (subresource === 'approval') return 'approve'
  return sameJson(statusOf(after), statusOf(before)) ? undefined : 'sign'
}

function asksForMasters({ after }: AdmittedWrite): boolean {
  const pem = Buffer.from(textOf(specOf(after)['request']), 'base64').toString('latin1')
  const read = readSigningRequest(pem)
  return 'organizations' in read && read.organizations.includes(mastersGroup)
}

const refused = ({ after }: AdmittedWrite, why: string): Refusal =>
  forbiddenObject({ group, resource, name: after.metadata.name }, why)
