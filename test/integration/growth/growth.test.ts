import { join } from 'node:path'
import { growthSuite } from '@machinist/testing/growth-suite'
import { clusterCases } from './cluster-cases.ts'
import { configCases } from './config-cases.ts'
import { nodeCases } from './node-cases.ts'

growthSuite({
  src: join(import.meta.dirname, '../../../src'),
  cases: [...configCases, ...clusterCases, ...nodeCases],
  exempt: {
    'cli/certs/read-cluster.ts readCluster': 'reads objects of the API',
    'cli/commands/ignition-input.ts readIgnition': 'parseAnyVersion with the name of a file',
    'cli/commands/plan-offline.ts readPlanInput': 'readMachineConfig and readPolicy',
    'cli/commands/render-read.ts readRenderObjects': 'parseYamlDocuments for each file',
    'cli/rotate/read.ts readFacts': 'reads objects of the API',
    'cli/rotate/read.ts readRotation': 'reads an object of the API',
    'controllers/kubelet-config/fragment.ts readFragment': 'returns a member of an object',
    'controllers/template/template-set.ts readTemplates': 'templates are part of the installation',
    'daemon/host/read-through-links.ts readThroughLinks': 'reads a file',
    'daemon/state/disk-state.ts readDiskState': 'machineConfigIn for each file of the daemon',
    'operator/inputs/cluster-facts.ts readFact': 'parseYaml of a member of a ConfigMap',
    'operator/inputs/cluster-objects.ts readClusterObject': 'reads an object of the API',
    'operator/trust/read-bytes.ts readBytes': 'part of readField',
    'planner/read-config.ts readConfig': 'part of plan',
    'planner/read-config.ts readOsPart': 'part of plan',
    'planner/registries.ts readRegistries': 'part of registriesDanger',
    'signer/requests/claim.ts readClaim': 'readPem and readPkcs10',
    'signer/rotation/rotation-spec.ts readRotation': 'reads members of an object',
  },
})
