/*
 * Built-in objects without any set field, as kube-apiserver prints them. Fields that are always present have no
 * owner, so created objects are compared with these.
 */

type Zero = Readonly<Record<string, unknown>>

const metadata: Zero = { creationTimestamp: null }
const template: Zero = { metadata, spec: { containers: null } }
const names: Zero = { plural: '', kind: '' }
const roleRef: Zero = { apiGroup: '', kind: '', name: '' }
const specAndStatus: Zero = { spec: {}, status: {} }

const kinds: Readonly<Record<string, Zero>> = {
  '/Event': {
    involvedObject: {},
    source: {},
    firstTimestamp: null,
    lastTimestamp: null,
    eventTime: null,
    reportingComponent: '',
    reportingInstance: '',
  },
  '/Namespace': specAndStatus,
  '/Node': {
    spec: {},
    status: {
      daemonEndpoints: { kubeletEndpoint: { Port: 0 } },
      nodeInfo: {
        machineID: '',
        systemUUID: '',
        bootID: '',
        kernelVersion: '',
        osImage: '',
        containerRuntimeVersion: '',
        kubeletVersion: '',
        kubeProxyVersion: '',
        operatingSystem: '',
        architecture: '',
      },
    },
  },
  '/Pod': { spec: { containers: null }, status: {} },
  '/Service': { spec: {}, status: { loadBalancer: {} } },
  'admissionregistration.k8s.io/ValidatingAdmissionPolicy': specAndStatus,
  'admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding': { spec: {} },
  'apiextensions.k8s.io/CustomResourceDefinition': {
    spec: { group: '', names, scope: '', versions: null },
    status: { conditions: null, acceptedNames: names, storedVersions: null },
  },
  'apps/DaemonSet': {
    spec: { selector: null, template, updateStrategy: {} },
    status: {
      currentNumberScheduled: 0,
      numberMisscheduled: 0,
      desiredNumberScheduled: 0,
      numberReady: 0,
    },
  },
  'apps/Deployment': { spec: { selector: null, strategy: {}, template }, status: {} },
  'certificates.k8s.io/CertificateSigningRequest': {
    spec: { request: null, signerName: '' },
    status: {},
  },
  'coordination.k8s.io/Lease': { spec: {} },
  'events.k8s.io/Event': {
    eventTime: null,
    regarding: {},
    deprecatedSource: {},
    deprecatedFirstTimestamp: null,
    deprecatedLastTimestamp: null,
  },
  'policy/PodDisruptionBudget': {
    spec: {},
    status: { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 },
  },
  'rbac.authorization.k8s.io/ClusterRole': { rules: null },
  'rbac.authorization.k8s.io/ClusterRoleBinding': { roleRef },
  'rbac.authorization.k8s.io/Role': { rules: null },
  'rbac.authorization.k8s.io/RoleBinding': { roleRef },
}

/** The empty object of a built-in kind, without apiVersion and kind. */
export function zeroObject(group: string, kind: string): Zero {
  const name = `${group}/${kind}`
  return { metadata, ...(Object.hasOwn(kinds, name) ? kinds[name] : {}) }
}
