import type {
  ClusterDisruptionPolicies,
  DisruptionAction,
} from '../kinds/node-disruption-policy.ts'
import { nodePaths } from '../node-paths.ts'

const none: DisruptionAction = { type: 'None' }
const daemonReload: DisruptionAction = { type: 'DaemonReload' }
const special: DisruptionAction = { type: 'Special' }
const reload = (serviceName: string): DisruptionAction => ({
  type: 'Reload',
  reload: { serviceName },
})
const restart = (serviceName: string): DisruptionAction => ({
  type: 'Restart',
  restart: { serviceName },
})

export const crio = 'crio.service'
const kubelet = 'kubelet.service'
const internalRegistry = 'iri-registry.service'
/** Rebuilds the trust store of the system from its anchors. */
export const trustStore = 'coreos-update-ca-trust.service'

const anchors = '/etc/pki/ca-trust/source/anchors'
export const registriesConf = '/etc/containers/registries.conf'
export const userCaBundle = `${anchors}/openshift-config-user-ca-bundle.crt`

/** The built-in policies, which a user can override. A change without a policy requires a reboot. */
export const defaultPolicies = {
  files: [
    { path: '/var/lib/kubelet/config.json', actions: [none] },
    {
      path: '/etc/machine-config-daemon/no-reboot/containers-gpg.pub',
      actions: [reload(crio)],
    },
    { path: '/etc/containers/policy.json', actions: [reload(crio)] },
    { path: registriesConf, actions: [special] },
    { path: '/etc/containers/registries.d', actions: [reload(crio)] },
    { path: '/etc/crio/policies', actions: [reload(crio)] },
    { path: '/etc/nmstate/openshift', actions: [none] },
    { path: userCaBundle, actions: [restart(trustStore), restart(crio)] },
    { path: nodePaths.credentialProviders, actions: [restart(kubelet)] },
    { path: nodePaths.credentialProviderDropin, actions: [daemonReload, restart(kubelet)] },
    { path: '/etc/iri-registry', actions: [restart(internalRegistry)] },
    { path: '/usr/local/bin/load-registry-image.sh', actions: [restart(internalRegistry)] },
    { path: `${anchors}/iri-root-ca.crt`, actions: [restart(trustStore)] },
  ],
  units: [{ name: internalRegistry, actions: [daemonReload, restart(internalRegistry)] }],
  sshkey: { actions: [none] },
} satisfies ClusterDisruptionPolicies
