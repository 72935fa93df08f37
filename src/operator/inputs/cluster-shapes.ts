import type { ObjectShape } from './object-shape.ts'

const addresses: ObjectShape = {
  apiServerInternalIP: 'string',
  ingressIP: 'string',
  apiServerInternalIPs: 'strings',
  ingressIPs: 'strings',
}

const change: ObjectShape = { from: 'number', to: 'number' }

/** The fields of OpenShift's objects that the operator reads. */
export const clusterShapes = {
  infrastructure: {
    spec: { cloudConfig: { name: 'string', key: 'string' }, platformSpec: { type: 'string' } },
    status: {
      apiServerInternalURI: 'string',
      etcdDiscoveryDomain: 'string',
      controlPlaneTopology: 'string',
      infrastructureTopology: 'string',
      platform: 'string',
      platformStatus: {
        type: 'string',
        baremetal: addresses,
        openstack: addresses,
        ovirt: addresses,
        vsphere: addresses,
        nutanix: addresses,
      },
    },
  },
  network: {
    spec: { networkType: 'string', serviceNetwork: 'strings' },
    status: {
      networkType: 'string',
      serviceNetwork: 'strings',
      migration: { networkType: 'string', mtu: { network: change, machine: change } },
    },
  },
  proxy: {
    spec: { trustedCA: { name: 'string' } },
    status: { httpProxy: 'string', httpsProxy: 'string', noProxy: 'string' },
  },
  dns: { spec: { baseDomain: 'string' }, status: {} },
  image: { spec: { additionalTrustedCA: { name: 'string' } }, status: {} },
} satisfies Readonly<Record<string, ObjectShape>>
