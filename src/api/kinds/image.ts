import type { Image } from '../openshift-config.ts'
import { images } from '../openshift-config.ts'
import { kind } from '../schema/kind.ts'
import { registryScope, searchRegistry } from '../schema/registry-names.ts'
import type { Schema } from '../schema/schema.ts'
import { array, object, rule, string } from '../schema/schema.ts'
import { namedReference } from '../schema/shapes.ts'

const registries = (description: string): Schema<string[]> =>
  array(description, registryScope('A registry or a part of one, or all hosts under a domain.'), {
    maxItems: 1024,
  })

const registrySources = object(
  'Which registries nodes may use, and how.',
  {
    insecureRegistries: registries(
      'May be used without TLS, or with a certificate of nobody known.',
    ),
    blockedRegistries: registries('Must not be used.'),
    allowedRegistries: registries('The only ones that may be used.'),
    containerRuntimeSearchRegistries: array(
      'Where images without a registry in their name are searched, in this order.',
      searchRegistry('A registry.'),
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

const spec: Schema<Image['spec']> = object('What holds for the images of all nodes.', {
  additionalTrustedCA: namedReference(
    'A ConfigMap in the namespace openshift-config with CAs of registries: each under the name of its registry, two dots for the colon of a port.',
    string('Its name.'),
  ),
  registrySources,
})

const status = object('Where the cluster has a registry of its own.', {
  internalRegistryHostname: string('As pods know it.'),
  externalRegistryHostnames: array('As others know it.', string('A host.')),
})

export const imageKind = kind(images, 'Which image registries the nodes of the cluster may use.', {
  spec,
  status,
  rules: [rule("self.metadata.name == 'cluster'", 'the only allowed name is cluster')],
})
