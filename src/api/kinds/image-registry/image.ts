import type { Image } from '../../openshift-config.ts'
import { images } from '../../openshift-config.ts'
import { kind } from '../../schema/kind.ts'
import { registryScope, searchRegistry } from '../../schema/registry-names.ts'
import type { Schema } from '../../schema/schema.ts'
import { array, object, rule, string } from '../../schema/schema.ts'
import { namedReference } from '../../schema/shapes.ts'

const registries = (description: string): Schema<string[]> =>
  array(description, registryScope('A registry, a repository or namespace in it, or *.domain.'), {
    maxItems: 1024,
  })

const registrySources = object(
  'Registries that nodes may use.',
  {
    insecureRegistries: registries(
      'Registries that may be used without TLS, or with a certificate that is not trusted.',
    ),
    blockedRegistries: registries(
      'Registries from which no image is pulled. Cannot be combined with allowedRegistries.',
    ),
    allowedRegistries: registries(
      'The only registries from which images are pulled. Cannot be combined with blockedRegistries.',
    ),
    containerRuntimeSearchRegistries: array(
      'Registries that are searched, in this order, for images whose name has no registry.',
      searchRegistry('Host of the registry, with an optional port.'),
      { set: true, minItems: 1, maxItems: 1024 },
    ),
  },
  {
    rules: [
      rule(
        '!has(self.blockedRegistries) || !has(self.allowedRegistries)',
        'only one of allowedRegistries and blockedRegistries may be set',
      ),
    ],
  },
)

const spec: Schema<Image['spec']> = object('Image registry settings for all nodes.', {
  additionalTrustedCA: namedReference(
    "ConfigMap in the namespace openshift-config with CA bundles of registries. Each key is the host of a registry; '..' replaces the colon before a port.",
    string('Name of the ConfigMap.'),
  ),
  registrySources,
})

const status = object('Observed state: host names of the internal image registry.', {
  internalRegistryHostname: string('Host name of the internal registry inside the cluster.'),
  externalRegistryHostnames: array(
    'Host names of the internal registry outside the cluster.',
    string('A host name.'),
  ),
})

export const imageKind = kind(
  images,
  'Image configures which image registries nodes may use. The only object is named cluster.',
  {
    spec,
    status,
    rules: [rule("self.metadata.name == 'cluster'", 'the only allowed name is cluster')],
  },
)
