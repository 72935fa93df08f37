import { describe, expect, it } from 'vitest'
import { clusterInputs } from './cluster-inputs.ts'
import { problemText } from './manifest.ts'
import { parseManifests } from './parse-manifests.ts'

const config = 'config.openshift.io/v1'
const own = 'machineconfiguration.openshift.io/v1'
const object = (kind: string, name: string, apiVersion = config, namespace = 'x'): string =>
  JSON.stringify({ apiVersion, kind, metadata: { name, namespace }, spec: {} })

function inputsOf(texts: readonly string[], release: '4.12' | 'main' = 'main') {
  const files = new Map(texts.map((text, i) => [`${i}.json`, text]))
  const { manifests, problems: parsing } = parseManifests(files)
  expect(parsing).toEqual([])
  const { problems, isOpenShift, controllerConfig } = clusterInputs(manifests, release)
  return {
    isOpenShift,
    problems: problems.map(problemText),
    hasControllerConfig: controllerConfig !== undefined,
  }
}

const version = object('ClusterVersion', 'version')
const gates = object('FeatureGate', 'cluster')

describe('the cluster', () => {
  it.each([
    [[], false],
    [[object('Image', 'cluster'), object('ImageDigestMirrorSet', 'a')], false],
    [[object('ConfigMap', 'machinist-cluster', 'v1')], false],
    [[object('Infrastructure', 'cluster'), version, gates], true],
    [[version, gates], true],
  ])('of %j is OpenShift: %j', (texts, isOpenShift) => {
    expect(inputsOf(texts)).toEqual({ isOpenShift, problems: [], hasControllerConfig: false })
  })

  it('needs the objects that every OpenShift has', () => {
    expect(inputsOf([object('DNS', 'cluster')]).problems).toEqual([
      'ClusterVersion version is missing: it has the release image; add it to the manifests',
      'FeatureGate cluster is missing: it has the feature gates of kubelets; add it to the manifests',
    ])
    expect(inputsOf([version], '4.12').problems).toEqual([])
    expect(inputsOf([gates, object('ClusterVersion', 'other')]).problems).toHaveLength(1)
  })
})

describe('a given ControllerConfig', () => {
  const given = object('ControllerConfig', 'machine-config-controller', own)

  it('names the release image itself', () => {
    expect(inputsOf([given, gates])).toEqual({
      isOpenShift: true,
      problems: [],
      hasControllerConfig: true,
    })
  })

  it('has a fixed name', () => {
    expect(inputsOf([object('ControllerConfig', 'mine', own)]).problems).toEqual([
      '0.json: ControllerConfig mine: metadata.name must be machine-config-controller',
    ])
  })

  it('excludes the objects from which the operator writes it', () => {
    const operator = 'openshift-machine-config-operator'
    const facts = object('ConfigMap', 'machinist-cluster', 'v1', operator)
    const other = object('ConfigMap', 'other', 'v1', operator)
    expect(
      inputsOf([given, object('Network', 'cluster'), facts, other, version, gates]).problems,
    ).toEqual([
      `0.json: ControllerConfig machine-config-controller and objects from which the operator writes it: Network cluster (1.json), ConfigMap ${operator}/machinist-cluster (2.json); remove the ControllerConfig, or these objects`,
    ])
  })
})
