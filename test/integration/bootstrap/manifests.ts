/** Manifests of a cluster other than OpenShift, by file. */
export const plainManifests: Readonly<Record<string, string>> = {
  'cluster.yaml': `
apiVersion: v1
kind: ConfigMap
metadata: { namespace: openshift-machine-config-operator, name: machinist-cluster }
data:
  infrastructure: |
    status: { apiServerInternalURI: 'https://api-int.example.com:6443' }
  network: |
    spec: { serviceNetwork: [10.96.0.0/12] }
---
apiVersion: v1
kind: Secret
metadata: { namespace: openshift-config, name: pull-secret }
type: kubernetes.io/dockerconfigjson
stringData: { .dockerconfigjson: '{"auths":{"registry.example.com":{"auth":"dTpw"}}}' }
`,
  'pools/infra.yaml': `
apiVersion: machineconfiguration.openshift.io/v1
kind: MachineConfigPool
metadata: { name: infra, labels: { pools.operator.machineconfiguration.openshift.io/infra: '' } }
spec:
  machineConfigSelector:
    matchExpressions:
      - { key: machineconfiguration.openshift.io/role, operator: In, values: [worker, infra] }
  nodeSelector: { matchLabels: { node-role.kubernetes.io/infra: '' } }
`,
  'configs/motd.yaml': `
apiVersion: machineconfiguration.openshift.io/v1
kind: MachineConfig
metadata: { name: 99-worker-motd, labels: { machineconfiguration.openshift.io/role: worker } }
spec:
  kernelArguments: [quiet]
  config:
    ignition: { version: 3.2.0 }
    storage: { files: [{ path: /etc/motd, mode: 0644, contents: { source: 'data:,hello' } }] }
`,
  'configs/infra.json': JSON.stringify({
    apiVersion: 'machineconfiguration.openshift.io/v1',
    kind: 'MachineConfig',
    metadata: { name: '50-infra', labels: { 'machineconfiguration.openshift.io/role': 'infra' } },
    spec: { kernelArguments: ['nosmt'] },
  }),
}

export const kubeletConfig = (name: string, pool: string, maxPods: number): string => `
apiVersion: machineconfiguration.openshift.io/v1
kind: KubeletConfig
metadata: { name: ${name} }
spec:
  machineConfigPoolSelector:
    matchLabels: { pools.operator.machineconfiguration.openshift.io/${pool}: '' }
  kubeletConfig: { maxPods: ${maxPods} }
`

export const runtimeConfig = `
apiVersion: machineconfiguration.openshift.io/v1
kind: ContainerRuntimeConfig
metadata: { name: pids }
spec:
  machineConfigPoolSelector:
    matchLabels: { pools.operator.machineconfiguration.openshift.io/worker: '' }
  containerRuntimeConfig: { pidsLimit: 2048 }
`

const config = (kind: string, spec: object, status?: object, name = 'cluster'): string =>
  JSON.stringify({
    apiVersion: 'config.openshift.io/v1',
    kind,
    metadata: { name },
    spec,
    ...(status && { status }),
  })

/** Manifests of an OpenShift cluster, by file. */
export const openShiftManifests: Readonly<Record<string, string>> = {
  'infrastructure.json': config(
    'Infrastructure',
    { platformSpec: { type: 'None' } },
    {
      apiServerInternalURI: 'https://api-int.example.com:6443',
      controlPlaneTopology: 'HighlyAvailable',
      platformStatus: { type: 'None' },
    },
  ),
  'network.json': config('Network', {
    networkType: 'OVNKubernetes',
    serviceNetwork: ['172.30.0.0/16'],
  }),
  'dns.json': config('DNS', { baseDomain: 'example.com' }),
  'image.json': config('Image', {
    imageStreamImportMode: 'Legacy',
    registrySources: { insecureRegistries: ['insecure.example.com'] },
  }),
  'version.json': config(
    'ClusterVersion',
    { clusterID: '1' },
    { desired: { version: '4.16.3', image: 'quay.io/release@sha256:aa' } },
    'version',
  ),
  'features.json': config(
    'FeatureGate',
    { featureSet: '' },
    { featureGates: [{ version: '4.16.3', enabled: [{ name: 'NodeSwap' }], disabled: [] }] },
  ),
  'api-server.json': config('APIServer', { tlsSecurityProfile: { type: 'Modern', modern: {} } }),
  'node.json': config('Node', { workerLatencyProfile: 'MediumUpdateAverageReaction' }),
  'mirrors.yaml': `
apiVersion: operator.openshift.io/v1alpha1
kind: ImageContentSourcePolicy
metadata: { name: mirrors }
spec: { repositoryDigestMirrors: [{ source: quay.io/a, mirrors: [mirror.example.com/a] }] }
---
apiVersion: config.openshift.io/v1
kind: OAuth
metadata: { name: cluster }
`,
  'release.yaml': `
apiVersion: v1
kind: ConfigMap
metadata: { namespace: openshift-machine-config-operator, name: machine-config-osimageurl }
data: { releaseVersion: 4.16.3, baseOSContainerImage: 'quay.io/os@sha256:bb', osImageURL: '' }
---
apiVersion: v1
kind: ConfigMap
metadata: { namespace: openshift-machine-config-operator, name: machine-config-operator-images }
data: { images.json: '{"releaseVersion":"4.16.3","infraImage":"quay.io/pause"}' }
---
apiVersion: v1
kind: Secret
metadata: { namespace: openshift-config, name: pull-secret }
type: kubernetes.io/dockerconfigjson
data: { .dockerconfigjson: eyJhdXRocyI6e319 }
`,
}
