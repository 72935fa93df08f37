import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { allCases } from './all-cases.ts'

const src = join(import.meta.dirname, '../../src')
const declaration = /^export (?:async )?function\*? ((?:parse|read|decode|split)[A-Z]\w*)/gm

/** Functions that are named like parsers, and why they need no case of their own. */
const exempt: Readonly<Record<string, string>> = {
  'apiserver/http/media-types.ts parseMediaType': 'part of parseAccept',
  'apiserver/http/request-body.ts readBody': 'joins the pieces of a body, 3 MiB at most',
  'apiserver/patch/apply/managed-fields.ts readOwners': 'a loop around readFields',
  'apiserver/protobuf/decode-message.ts decodeMessage': 'part of decodeProtobuf',
  'apiserver/verbs/scale.ts readScale': 'reads a few members of an object',
  'apiserver/watch/list.ts readList': 'reads the store',
  'base/bytes.ts decodeBase64': 'isBase64, then the native decoder',
  'base/der.ts readMembers': 'readElements, then a comparison of tags',
  'base/der.ts readOnly': 'part of readElements',
  'base/pkcs10.ts readExtensions': 'part of readPkcs10',
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
  'ignition/convert/parse-any.ts parseAnyVersionValue': 'parseAnyVersion without the text',
  'ignition/parse.ts parseConfigValue': 'parseConfig without the text',
  'ignition/spec2/parse.ts parseSpec2': 'part of parseAnyVersion',
  'kube/connection/files.ts readIfThere': 'reads a file',
  'operator/inputs/cluster-facts.ts readFact': 'parseYaml of a member of a ConfigMap',
  'operator/inputs/cluster-objects.ts readClusterObject': 'reads an object of the API',
  'operator/trust/read-bytes.ts readBytes': 'part of readField',
  'pki/certificate-request.ts readRequest': 'readPem and readPkcs10',
  'pki/keys.ts readKey': 'keys are read by OpenSSL',
  'planner/read-config.ts readConfig': 'part of plan',
  'planner/read-config.ts readOsPart': 'part of plan',
  'planner/registries.ts readRegistries': 'part of registriesDanger',
  'signer/requests/claim.ts readClaim': 'readPem and readPkcs10',
  'signer/rotation/rotation-spec.ts readRotation': 'reads members of an object',
}

const found = globSync('**/*.ts', { cwd: src })
  .filter((path) => !path.endsWith('.test.ts'))
  .flatMap((path) =>
    [...readFileSync(join(src, path), 'utf8').matchAll(declaration)].map(
      ([, name]) => `${path} ${name}`,
    ),
  )
const measured = new Set(allCases.map(({ parser }) => parser.split(' ', 2).join(' ')))

it('measures every parser, or says why not', () => {
  const missing = found.filter((parser) => !measured.has(parser) && !Object.hasOwn(exempt, parser))
  expect(missing.sort()).toEqual([])
})

it('excuses nothing that is gone or measured', () => {
  const stale = Object.keys(exempt).filter(
    (parser) => !found.includes(parser) || measured.has(parser),
  )
  expect(stale).toEqual([])
})
