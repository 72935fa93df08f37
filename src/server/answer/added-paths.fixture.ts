/** The paths that the server adds to the config of `state.fixture.ts`, in order. */
export const addedPaths: readonly string[] = [
  '/etc/kubernetes/kubelet-ca.crt',
  '/etc/kubernetes/static-pod-resources/configmaps/cloud-config/ca-bundle.pem',
  '/etc/machine-config-daemon/node-annotations.json',
  '/etc/kubernetes/kubeconfig',
  '/etc/mcs-machine-config-content.json',
  '/etc/docker/certs.d/registry.example:5000/ca.crt',
  '/etc/ignition-machine-config-encapsulated.json',
]
