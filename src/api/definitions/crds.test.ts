import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseYaml, parseYamlDocuments } from '@machinist/core/encoding/yaml'
import type { GeneratedFile } from './crds.ts'
import { crdFolder, crdStream } from './crds.ts'
import { imageRegistryKinds, kinds } from './kinds.ts'
import { referencePages } from './reference.ts'
import { customResourceDefinition } from './crd.ts'

const root = join(import.meta.dirname, '../../..')

describe('the generated files', () => {
  it.each([
    { folder: 'deploy/crds', files: crdFolder(kinds) },
    { folder: 'deploy/image-registries/crds', files: crdFolder(imageRegistryKinds) },
    { folder: 'docs/api', files: referencePages() },
  ])('in $folder match the output of `node scripts/generate-crds.ts`', ({ folder, files }) => {
    expect(committed(folder)).toEqual(new Map(files.map(({ name, text }) => [name, text])))
  })

  it('are deterministic', () => {
    expect(crdFolder(kinds)).toEqual(crdFolder(kinds))
  })

  it('are marked as generated', () => {
    for (const { text } of crdFolder(kinds))
      expect(text).toMatch(/^# Generated from src\/api\/kinds /)
  })
})

describe('the CustomResourceDefinitions', () => {
  const files = crdFolder(kinds).slice(0, -1)

  it('are one per kind', () => {
    expect(files.map(({ name }) => name)).toEqual([
      'machineconfigs.machineconfiguration.openshift.io.yaml',
      'machineconfigpools.machineconfiguration.openshift.io.yaml',
      'controllerconfigs.machineconfiguration.openshift.io.yaml',
      'kubeletconfigs.machineconfiguration.openshift.io.yaml',
      'containerruntimeconfigs.machineconfiguration.openshift.io.yaml',
      'machineconfignodes.machineconfiguration.openshift.io.yaml',
      'pinnedimagesets.machineconfiguration.openshift.io.yaml',
      'machineosconfigs.machineconfiguration.openshift.io.yaml',
      'machineosbuilds.machineconfiguration.openshift.io.yaml',
      'machineconfigurations.operator.openshift.io.yaml',
      'drainpolicies.machinist.dev.yaml',
      'nodetrusts.machinist.dev.yaml',
      'trustrotations.machinist.dev.yaml',
    ])
  })

  it('survive a round trip through YAML', () => {
    expect(files.map(read)).toEqual(kinds.map(customResourceDefinition))
  })

  it('are identical in the stream', () => {
    expect(parseYamlDocuments(crdStream(), 'stream')).toEqual(kinds.map(customResourceDefinition))
  })

  it('are cluster-scoped and carry the label that the operator watches', () => {
    for (const kind of kinds) {
      const { metadata, spec } = customResourceDefinition(kind)
      expect(spec.scope).toBe('Cluster')
      expect(metadata.labels).toEqual({ 'openshift.io/operator-managed': '' })
    }
  })

  it('have the short names that users type', () => {
    const short = kinds.map(({ resource, shortNames }) => [resource.kind, ...shortNames])
    expect(short.filter(([, name]) => name)).toEqual([
      ['MachineConfig', 'mc'],
      ['MachineConfigPool', 'mcp'],
      ['ContainerRuntimeConfig', 'ctrcfg'],
      ['MachineConfigNode', 'mcn'],
      ['NodeTrust', 'nt'],
      ['TrustRotation', 'tr'],
    ])
  })

  it('print the state in kubectl get, and the message with -o wide', () => {
    const columns = (kind: string): string[] => {
      const found = kinds.find(({ resource }) => resource.kind === kind)!
      return found.columns.map(({ name, wide }) => (wide ? `${name} (wide)` : name))
    }
    const settings = ['Success', 'Failure', 'Age', 'Message (wide)']
    expect(columns('KubeletConfig')).toEqual(settings)
    expect(columns('ContainerRuntimeConfig')).toEqual(settings)
    // The columns of OpenShift, and more with -o wide.
    expect(columns('MachineConfigPool')).toEqual([
      'Config',
      'Updated',
      'Updating',
      'Degraded',
      'MachineCount',
      'ReadyMachineCount',
      'UpdatedMachineCount',
      'DegradedMachineCount',
      'Age',
      'Paused (wide)',
      'Message (wide)',
      'DegradedMessage (wide)',
    ])
  })

  it('have a status subresource if they have a status', () => {
    const without = kinds.filter(({ status }) => !status).map(({ resource }) => resource.kind)
    expect(without).toEqual(['MachineConfig', 'PinnedImageSet', 'DrainPolicy'])
  })
})

describe('the image registry kinds for clusters without OpenShift', () => {
  it('have the names that they have on OpenShift', () => {
    const called = imageRegistryKinds.map(customResourceDefinition).map(({ spec }) => {
      const { group, names, scope, versions } = spec
      return [names.plural, group, versions[0]!.name, scope, ...(names.shortNames ?? [])].join(' ')
    })
    expect(called).toEqual([
      'images config.openshift.io v1 Cluster',
      'imagedigestmirrorsets config.openshift.io v1 Cluster idms',
      'imagetagmirrorsets config.openshift.io v1 Cluster itms',
      'clusterimagepolicies config.openshift.io v1 Cluster',
    ])
  })

  it('are not part of the kinds that every cluster gets', () => {
    const group = 'config.openshift.io'
    expect(kinds.filter(({ resource }) => resource.group === group)).toEqual([])
  })
})

function committed(folder: string): Map<string, string> {
  const path = join(root, folder)
  return new Map(
    readdirSync(path)
      .sort()
      .map((name) => [name, readFileSync(join(path, name), 'utf8')]),
  )
}

function read({ name, text }: GeneratedFile): unknown {
  return parseYaml(text, name)
}
