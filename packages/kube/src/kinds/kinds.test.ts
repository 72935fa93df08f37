import { expect, it } from 'vitest'
import type { Resource } from '@machinist/core/objects/resource'
import { resourcePath } from '../client/path.ts'
import * as kinds from './kinds.ts'

it('every kind has the API path of Kubernetes', () => {
  const all: [string, Resource][] = Object.entries(kinds)
  const lines = all.map(([, place]) => {
    const path = resourcePath(place, place.namespaced ? { namespace: 'NS' } : {})
    return `${place.kind} ${path}`
  })
  expect(lines.sort()).toEqual([
    'CertificateSigningRequest /apis/certificates.k8s.io/v1/certificatesigningrequests',
    'ClusterRole /apis/rbac.authorization.k8s.io/v1/clusterroles',
    'ClusterRoleBinding /apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
    'ConfigMap /api/v1/namespaces/NS/configmaps',
    'CustomResourceDefinition /apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    'DaemonSet /apis/apps/v1/namespaces/NS/daemonsets',
    'Deployment /apis/apps/v1/namespaces/NS/deployments',
    'Event /api/v1/namespaces/NS/events',
    'Event /apis/events.k8s.io/v1/namespaces/NS/events',
    'Lease /apis/coordination.k8s.io/v1/namespaces/NS/leases',
    'Namespace /api/v1/namespaces',
    'Node /api/v1/nodes',
    'Pod /api/v1/namespaces/NS/pods',
    'PodDisruptionBudget /apis/policy/v1/namespaces/NS/poddisruptionbudgets',
    'ReplicaSet /apis/apps/v1/namespaces/NS/replicasets',
    'Role /apis/rbac.authorization.k8s.io/v1/namespaces/NS/roles',
    'RoleBinding /apis/rbac.authorization.k8s.io/v1/namespaces/NS/rolebindings',
    'Secret /api/v1/namespaces/NS/secrets',
    'Service /api/v1/namespaces/NS/services',
    'ServiceAccount /api/v1/namespaces/NS/serviceaccounts',
    'SubjectAccessReview /apis/authorization.k8s.io/v1/subjectaccessreviews',
    'TokenReview /apis/authentication.k8s.io/v1/tokenreviews',
    'ValidatingAdmissionPolicy /apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies',
    'ValidatingAdmissionPolicyBinding /apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings',
  ])
})
