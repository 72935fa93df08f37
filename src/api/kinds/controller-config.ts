import type { KubeObject } from '@machinist/core/objects/resource'
import type { DNS, Infrastructure } from '../openshift-config.ts'
import type { TypeOf } from '../schema/schema.ts'
import { kind } from '../schema/kind.ts'
import {
  array,
  bytes,
  embedded,
  integer,
  map,
  nullable,
  object,
  string,
  timestamp,
} from '../schema/schema.ts'
import { looseConditions, objectReference } from '../schema/shapes.ts'
import { controllerConfigs } from './resources.ts'

const registryBundle = object(
  'CA certificates of one image registry.',
  {
    file: string(
      "Host of the registry. '..' replaces the colon before a port: registry.example..5000.",
    ),
    data: bytes('CA certificates: PEM, in base64.'),
  },
  { required: ['file', 'data'] },
)

const mtu = (description: string) =>
  object(description, {
    from: integer('MTU before the migration.', { minimum: 0 }),
    to: integer('MTU after the migration.', { minimum: 0 }),
  })

const network = object(
  'Network migrations that nodes take part in.',
  {
    mtuMigration: nullable(
      object('Migration to another MTU. Null if none is in progress.', {
        network: mtu('MTU of the cluster network.'),
        machine: mtu('MTU of the machine network.'),
      }),
    ),
  },
  { required: ['mtuMigration'] },
)

const proxy = object('Proxy that nodes use for outgoing connections. Null if there is none.', {
  httpProxy: string('URL of the proxy for HTTP requests.'),
  httpsProxy: string('URL of the proxy for HTTPS requests.'),
  noProxy: string(
    'Comma-separated host names, domains and CIDRs that are accessed without the proxy.',
  ),
})

// Empty bytes are null on the wire: the API server rejects '' as base64.
const spec = object(
  'Cluster facts and trust bundles that the operator gathered. Do not edit: the operator overwrites changes.',
  {
    clusterDNSIP: string('IP address of the cluster DNS Service.'),
    cloudProviderConfig: string('Content of the cloud provider configuration file.'),
    platform: string('Deprecated: see infra.status.platformStatus.'),
    etcdDiscoveryDomain: string('Deprecated: see infra.status.etcdDiscoveryDomain.'),
    kubeAPIServerServingCAData: nullable(
      bytes('CA bundle with which kubelets verify client certificates: PEM, in base64.'),
    ),
    rootCAData: nullable(
      bytes('CA bundle with which joining machines verify the config server: PEM, in base64.'),
    ),
    cloudProviderCAData: nullable(bytes('CA bundle of the cloud provider API: PEM, in base64.')),
    additionalTrustBundle: nullable(
      bytes('CA bundle of the administrator and of the proxy: PEM, in base64.'),
    ),
    imageRegistryBundleData: array(
      'CA bundles of image registries that the cluster manages.',
      registryBundle,
    ),
    imageRegistryBundleUserData: array(
      'CA bundles of image registries that the administrator added. An entry replaces that of imageRegistryBundleData for the same registry.',
      registryBundle,
    ),
    pullSecret: objectReference('Secret with the credentials for image registries.'),
    internalRegistryPullSecret: nullable(
      bytes('Credentials for the internal image registry: dockerconfigjson, in base64.'),
    ),
    images: map('Images that templates refer to, by name.', string('Pull spec of the image.')),
    baseOSContainerImage: string('Pull spec of the OS image of the release.'),
    baseOSExtensionsContainerImage: string('Pull spec of the image with the OS extensions.'),
    osImageURL: string(
      'Deprecated: pull spec of the OS image in the format of releases before 4.12.',
    ),
    releaseImage: string('Pull spec of the release image. Set during installation only.'),
    proxy: nullable(proxy),
    infra: nullable(
      embedded<Infrastructure>('The Infrastructure object (config.openshift.io) of the cluster.'),
    ),
    dns: nullable(embedded<DNS>('The DNS object (config.openshift.io) of the cluster.')),
    ipFamilies: string(
      'IP families of the cluster network: IPv4, IPv6, DualStack or DualStackIPv6Primary.',
    ),
    networkType: string('Network plugin of the cluster, such as OVNKubernetes.'),
    network: nullable(network),
    bgpVIPPeersJSON: string('BGP peers to which virtual IP addresses are announced, as JSON.', {
      minLength: 1,
      maxLength: 65536,
    }),
  },
  {
    required: [
      'additionalTrustBundle',
      'baseOSContainerImage',
      'cloudProviderCAData',
      'cloudProviderConfig',
      'clusterDNSIP',
      'dns',
      'images',
      'infra',
      'ipFamilies',
      'kubeAPIServerServingCAData',
      'network',
      'proxy',
      'releaseImage',
      'rootCAData',
    ],
  },
)

const certificate = object(
  'A certificate in a bundle of the spec.',
  {
    subject: string('Subject of the certificate.'),
    signer: string('Issuer of the certificate.'),
    bundleFile: string('Name of the bundle that contains the certificate.'),
    notBefore: timestamp('Start of the validity period.'),
    notAfter: timestamp('End of the validity period.'),
  },
  { required: ['subject', 'signer', 'bundleFile'] },
)

const status = object('Observed state.', {
  observedGeneration: integer('The generation of the object that this status describes.', {
    format: 'int64',
  }),
  conditions: looseConditions({ keyed: true }),
  controllerCertificates: array('All certificates in the bundles of the spec.', certificate),
})

export interface ControllerConfigSpec extends TypeOf<typeof spec> {}
export interface ControllerConfigStatus extends TypeOf<typeof status> {}
export interface ControllerCertificate extends TypeOf<typeof certificate> {}
export interface RegistryBundle extends TypeOf<typeof registryBundle> {}

export interface ControllerConfig extends KubeObject {
  spec: ControllerConfigSpec
  status?: ControllerConfigStatus
}

export const controllerConfigKind = kind(
  controllerConfigs,
  'ControllerConfig holds the cluster facts and trust bundles that node configuration depends on. The operator maintains the only object, machine-config-controller.',
  { spec, status },
)
