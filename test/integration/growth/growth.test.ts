import { join } from 'node:path'
import { growthSuite } from '@machinist/testing/growth/growth-suite'
import { clusterCases } from './cluster-cases.ts'
import { configCases } from './config-cases.ts'
import { nodeCases } from './node-cases.ts'
import { serverCases } from './server-cases.ts'

growthSuite({
  src: join(import.meta.dirname, '../../../src'),
  cases: [...configCases, ...clusterCases, ...nodeCases, ...serverCases],
  exempt: {
    'bootstrap/findings/cluster-state.ts readClusterState': 'reads objects of the API',
    'cli/commands/bootstrap/read-manifest-files.ts readManifestFiles': 'reads files',
    'cli/commands/certs/read-cluster.ts readCluster': 'reads objects of the API',
    'cli/commands/ignition/read-ignition.ts readIgnition':
      'parseAnyVersion with the name of a file',
    'cli/commands/plan/plan-offline.ts readPlanInput': 'readMachineConfig and readPolicy',
    'cli/commands/pointer/read-pointer.ts readPointer': 'tokenIn of an object of the API',
    'cli/commands/render/read-render-files.ts readRenderObjects':
      'parseYamlDocuments for each file',
    'cli/commands/rotate/read.ts readRotationFacts': 'reads objects of the API',
    'cli/commands/rotate/read.ts readRotation': 'reads an object of the API',
    'controllers/drain/gather.ts readNode': 'reads an object of the API',
    'controllers/image-config/node-files.ts readImageSettings': 'combines objects of the API',
    'controllers/kubelet-config/fragment.ts readFragment': 'returns a member of an object',
    'controllers/template/template-set.ts readTemplates': 'templates are part of the installation',
    'daemon/host/files/read-through-links.ts readThroughLinks': 'reads a file',
    'daemon/state/disk-state.ts readDiskState':
      'parseMachineConfigFile for each file of the daemon',
    'daemon/start.ts readBootReport': 'returns a report of the host driver',
    'daemon/trust/api-server-ca/source.ts readSource': 'readBundle of a ConfigMap',
    'fleet/rotation/rotation-spec.ts readRotation': 'reads members of an object',
    'operator/inputs/cluster-facts.ts readFact': 'parseYaml of a member of a ConfigMap',
    'operator/inputs/cluster-objects.ts readClusterObject': 'reads an object of the API',
    'operator/inputs/cluster-reading.ts readClusterValue': 'checks members of an object',
    'operator/trust/bundles/read-bytes.ts readBytes': 'part of readField',
    'planner/differences/read-config.ts readConfig': 'part of plan',
    'planner/differences/read-config.ts readOsPart': 'part of plan',
    'planner/actions/registries.ts readRegistries': 'part of registriesDanger',
    'server/directory/parse-objects.ts parseControllerConfig': 'as parsePool',
    'server/directory/parse-objects.ts parseMachineConfig': 'as parsePool',
    'signer/requests/claim.ts readClaim': 'readPem and readPkcs10',
  },
})
