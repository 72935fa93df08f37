import type { KubeObject } from '@machinist/core/resource'
import type { DNS, Infrastructure } from '../openshift-config.ts'
import type { TypeOf } from '../schema/schema.ts'
import { controllerConfigs } from '../resources.ts'
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

const registryBundle = object(
  'The CA certificates of one image registry.',
  {
    file: string("The registry's host, with '..' before a port."),
    data: bytes('Certificates in PEM.'),
  },
  { required: ['file', 'data'] },
)

const mtu = (description: string) =>
  object(description, {
    from: integer('The old size.', { minimum: 0 }),
    to: integer('The new size.', { minimum: 0 }),
  })

const network = object(
  'Changes of the network that nodes must know about.',
  {
    mtuMigration: nullable(
      object('A change of the packet size.', {
        network: mtu('On the cluster network.'),
        machine: mtu('On the network of the machines.'),
      }),
    ),
  },
  { required: ['mtuMigration'] },
)

const proxy = object('How nodes reach the outside.', {
  httpProxy: string('The proxy for http.'),
  httpsProxy: string('The proxy for https.'),
  noProxy: string('What to reach without a proxy, separated by commas.'),
})

// Empty bytes are null on the wire: the API server takes '' for neither base64 nor absent.
const spec = object(
  'What the operator gathered from the cluster.',
  {
    clusterDNSIP: string("The address of the cluster's DNS service."),
    cloudProviderConfig: string('The configuration file of the cloud provider.'),
    platform: string('Replaced by infra; kept for compatibility.'),
    etcdDiscoveryDomain: string('Replaced by infra; kept for compatibility.'),
    kubeAPIServerServingCAData: nullable(
      bytes('CAs by which kubelets know the callers they may trust.'),
    ),
    rootCAData: nullable(
      bytes('CAs of the server that gives joining machines their configuration.'),
    ),
    cloudProviderCAData: nullable(bytes('CAs of the cloud provider.')),
    additionalTrustBundle: nullable(bytes('CAs that the administrator or the proxy added.')),
    imageRegistryBundleData: array('CAs of image registries, from the cluster.', registryBundle),
    imageRegistryBundleUserData: array(
      'CAs of image registries, from the administrator.',
      registryBundle,
    ),
    pullSecret: objectReference('The Secret with the credentials for image registries.'),
    internalRegistryPullSecret: nullable(
      bytes("Credentials for the cluster's own image registry, in dockerconfigjson."),
    ),
    images: map('Images that the templates name.', string('An image.')),
    baseOSContainerImage: string('The operating system image of the release.'),
    baseOSExtensionsContainerImage: string('The image with its extensions.'),
    osImageURL: string('The operating system image in the old format.'),
    releaseImage: string('The release; set at installation only.'),
    proxy: nullable(proxy),
    infra: nullable(embedded<Infrastructure>('The Infrastructure object of the cluster.')),
    dns: nullable(embedded<DNS>('The DNS object of the cluster.')),
    ipFamilies: string('IPv4, IPv6, DualStack or DualStackIPv6Primary.'),
    networkType: string('The network plugin.'),
    network: nullable(network),
    bgpVIPPeersJSON: string('Routers to which virtual addresses are announced, as JSON.', {
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
  'A certificate of one of the bundles in the spec.',
  {
    subject: string('Whose it is.'),
    signer: string('Who signed it.'),
    bundleFile: string('The bundle it is in.'),
    notBefore: timestamp('From when it is valid.'),
    notAfter: timestamp('Until when.'),
  },
  { required: ['subject', 'signer', 'bundleFile'] },
)

const status = object('What the template controller made of it.', {
  observedGeneration: integer('The generation of the spec that this tells about.', {
    format: 'int64',
  }),
  conditions: looseConditions({ keyed: true }),
  controllerCertificates: array('Every certificate in the bundles of the spec.', certificate),
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
  'Everything about the cluster that node configuration depends on. The operator writes it; there is one, named machine-config-controller.',
  { spec, status },
)
