import { sameJson } from '@machinist/core/encoding/json'
import { forbiddenObject } from '../../authorization/forbidden.ts'
import type { Authorizer } from '../../authorization/authorizer.ts'
import type { UserInfo } from '../../identity/user-info.ts'
import { mastersGroup } from '../../identity/user-info.ts'
import { readSigningRequest } from '../../kinds/certificates/signing-request.ts'
import { specOf, statusOf, textOf } from '../../kinds/fields.ts'
import type { StatusError } from '../../status/status-error.ts'
import type { Admission, AdmittedWrite } from '../messages/api-parts.ts'

const group = 'certificates.k8s.io'
const resource = 'certificatesigningrequests'
const clientSigner = 'kubernetes.io/kube-apiserver-client'

/** Approving and signing need permission for the signer; requests for the group system:masters are rejected. */
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
      throw forbiddenRequest(write, why)
    }
    if (write.subresource === undefined && signer === clientSigner && asksForMasters(write)) {
      throw forbiddenRequest(
        write,
        `use of ${clientSigner} signer with ${mastersGroup} group is not allowed`,
      )
    }
  }
}

/** The verb that this subresource requires; an unchanged status requires none. */
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

const forbiddenRequest = ({ after }: AdmittedWrite, why: string): StatusError =>
  forbiddenObject({ group, resource, name: after.metadata.name }, why)
