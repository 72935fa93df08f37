import { describe, expect, it } from 'vitest'
import { decodeDataUrl } from '@machinist/core/encoding/data-url'
import { parseYaml } from '@machinist/core/encoding/yaml'
import type { IgnitionVersion } from '@machinist/ignition/convert/versions'
import type { Config, File } from '@machinist/ignition/spec/config'
import type { MachineConfig } from '../../api/kinds/resources.ts'
import { encodeProvenance } from '../../planner/provenance/provenance.ts'
import { answer } from './answer.ts'
import type { ServedConfig } from './answer.ts'
import { selectInputs } from './inputs.ts'
import type { Refusal } from './refusal.ts'
import type { ServerState } from './state.ts'
import {
  authorities,
  configName,
  renderedConfig,
  serverState,
  token,
  workerPool,
} from './state.fixture.ts'

const ignition = (more: object, version = '3.5.0'): MachineConfig['spec'] => ({
  config: { ignition: { version }, ...more },
})

function answered(state: ServerState, version: IgnitionVersion = '3.5'): ServedConfig | Refusal {
  const inputs = selectInputs(state, 'worker', token)
  return 'type' in inputs ? inputs : answer(inputs, version)
}

function served(state: ServerState, version?: IgnitionVersion): Config {
  const found = answered(state, version)
  if (found.type !== 'config') throw new Error(found.message)
  return JSON.parse(found.body) as Config
}

const contentOf = (file: File | undefined): string =>
  Buffer.from(decodeDataUrl(file?.contents?.source ?? '').bytes).toString()
const fileAt = (config: Config, path: string): File | undefined =>
  config.storage?.files?.find((file) => file.path === path)
const textAt = (config: Config, path: string): string => contentOf(fileAt(config, path))

const paths = {
  annotations: '/etc/machine-config-daemon/node-annotations.json',
  kubeconfig: '/etc/kubernetes/kubeconfig',
  served: '/etc/mcs-machine-config-content.json',
  encapsulated: '/etc/ignition-machine-config-encapsulated.json',
  kubeletCA: '/etc/kubernetes/kubelet-ca.crt',
  cloudCA: '/etc/kubernetes/static-pod-resources/configmaps/cloud-config/ca-bundle.pem',
  registryCA: '/etc/docker/certs.d/registry.example:5000/ca.crt',
}

describe('the files that a machine gets', () => {
  const motd = { path: '/etc/motd', mode: 0o644, contents: { source: 'data:,hello' } }
  const state = serverState(renderedConfig(ignition({ storage: { files: [motd] } })))
  const config = served(state)

  it('are those of the config, then the current CAs and those of the first boot, with their modes', () => {
    expect(config.storage!.files!.map(({ path, mode }) => [path, mode])).toEqual([
      ['/etc/motd', 0o644],
      [paths.kubeletCA, 0o644],
      [paths.cloudCA, 0o644],
      [paths.annotations, 0o644],
      [paths.kubeconfig, 0o600],
      [paths.served, 0o600],
      [paths.registryCA, 0o644],
      [paths.encapsulated, 0o644],
    ])
    const added = config.storage!.files!.slice(1)
    expect(added.every(({ overwrite }) => overwrite)).toBe(true)
  })

  it('contain the CAs of the ControllerConfig', () => {
    expect(textAt(config, paths.kubeletCA)).toBe(authorities.kubelet)
    expect(textAt(config, paths.cloudCA)).toBe(authorities.cloud)
    expect(textAt(config, paths.registryCA)).toBe(authorities.registry)
  })

  it('contain the annotations of the Node', () => {
    expect(JSON.parse(textAt(config, paths.annotations))).toEqual({
      'machineconfiguration.openshift.io/currentConfig': configName,
      'machineconfiguration.openshift.io/desiredConfig': configName,
      'machineconfiguration.openshift.io/firstPivotConfig': configName,
      'machineconfiguration.openshift.io/state': 'Done',
    })
  })

  it('contain a kubeconfig with the credential and the CA of the API server', () => {
    expect(parseYaml(textAt(config, paths.kubeconfig), 'kubeconfig')).toEqual({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [
        {
          name: 'local',
          cluster: {
            server: 'https://api-int.example:6443',
            'certificate-authority-data': Buffer.from(authorities.apiServer).toString('base64'),
          },
        },
      ],
      users: [{ name: 'kubelet', user: { token: 'bootstrap-token' } }],
      contexts: [{ name: 'kubelet', context: { cluster: 'local', user: 'kubelet' } }],
      'current-context': 'kubelet',
    })
  })

  it('contain the image of the daemon for the first boot, if there is one', () => {
    const path = '/etc/machinist/first-boot.env'
    expect(fileAt(config, path)).toBeUndefined()
    const given = served({ ...state, daemonImage: 'registry.example:5000/machinist-daemon:1' })
    expect(fileAt(given, path)).toMatchObject({ mode: 0o644, overwrite: true })
    expect(textAt(given, path)).toBe('IMAGE=registry.example:5000/machinist-daemon:1\n')
    expect(given.storage!.files!.at(-1)!.path).toBe(paths.encapsulated)
  })

  it('contain the given kubeconfig if there is one', () => {
    const text = 'apiVersion: v1\nkind: Config\n'
    const given = served({ ...state, kubeconfig: { type: 'file', text } })
    expect(textAt(given, paths.kubeconfig)).toBe(text)
  })

  it('contain the MachineConfig as it is in the API', () => {
    expect(JSON.parse(textAt(config, paths.served))).toEqual({
      apiVersion: 'machineconfiguration.openshift.io/v1',
      kind: 'MachineConfig',
      metadata: { name: configName, labels: { a: 'b' } },
      spec: { config: { ignition: { version: '3.5.0' }, storage: { files: [motd] } } },
    })
  })

  it('replace those of the config at the same paths, of any type', () => {
    const old = (path: string): File => ({ path, contents: { source: 'data:,old' } })
    const storage = {
      files: [old(paths.kubeletCA), old('/etc/motd'), old(paths.encapsulated)],
      directories: [{ path: paths.served }, { path: '/etc/mine' }],
      links: [{ path: paths.kubeconfig, target: '/etc/other' }],
    }
    const { storage: found } = served(serverState(renderedConfig(ignition({ storage }))))
    const all = [...found!.files!, ...found!.directories!, ...found!.links!].map(({ path }) => path)
    expect(new Set(all).size).toBe(all.length)
    expect(found!.directories).toEqual([{ path: '/etc/mine' }])
    expect(found!.links).toEqual([])
    expect(contentOf(found!.files!.find(({ path }) => path === paths.kubeletCA))).toBe(
      authorities.kubelet,
    )
  })

  it('keep the CA of the config if the ControllerConfig has none', () => {
    const old = { path: paths.kubeletCA, contents: { source: 'data:,old' } }
    const trust = { bundles: [], registries: [], problems: [] }
    const found = served(
      serverState(renderedConfig(ignition({ storage: { files: [old] } })), { trust }),
    )
    expect(textAt(found, paths.kubeletCA)).toBe('old')
  })
})

describe('the encapsulated config', () => {
  const spec = {
    ...ignition({ storage: { files: [{ path: '/etc/a', contents: { source: 'data:,' } }] } }),
    kernelArguments: ['quiet'],
    osImageURL: 'quay.example/os',
  }
  it.each(['2.2', '3.0', '3.1', '3.2', '3.3', '3.4', '3.5'] as const)(
    'has the requested version %s, kernel arguments and OS image',
    (version) => {
      const config = served(serverState(renderedConfig(spec)), version)
      expect(config.ignition.version).toBe(`${version}.0`)
      expect(JSON.parse(textAt(config, paths.encapsulated))).toEqual({
        apiVersion: 'machineconfiguration.openshift.io/v1',
        kind: 'MachineConfig',
        metadata: { name: configName, labels: { a: 'b' } },
        spec: {
          config: { ignition: { version: `${version}.0` } },
          kernelArguments: ['quiet'],
          osImageURL: 'quay.example/os',
        },
      })
    },
  )

  it('has no provenance and no metadata that differs between servers', () => {
    const { metadata, ...rest } = renderedConfig(spec)
    const provenance = { 'machinist.dev/provenance': '1:x', mine: 'y' }
    const more = { annotations: provenance, resourceVersion: '7', uid: 'u', finalizers: ['f'] }
    const config = served(serverState({ ...rest, metadata: { ...metadata, ...more } }))
    for (const path of [paths.encapsulated, paths.served]) {
      expect((JSON.parse(textAt(config, path)) as MachineConfig).metadata).toEqual({
        name: configName,
        labels: { a: 'b' },
        annotations: { mine: 'y' },
      })
    }
  })
})

describe('a layered image', () => {
  const annotations = {
    'machineconfiguration.openshift.io/pre-built-image': 'quay.example/layered',
  }
  const base = renderedConfig({ osImageURL: 'quay.example/base' })
  const config = served(serverState({ ...base, metadata: { ...base.metadata, annotations } }))

  it('is in the annotations and replaces the OS image', () => {
    expect(JSON.parse(textAt(config, paths.annotations))).toMatchObject({
      'machineconfiguration.openshift.io/currentImage': 'quay.example/layered',
      'machineconfiguration.openshift.io/desiredImage': 'quay.example/layered',
    })
    for (const path of [paths.encapsulated, paths.served]) {
      expect(JSON.parse(textAt(config, path))).toMatchObject({
        spec: { osImageURL: 'quay.example/layered' },
      })
    }
  })
})

describe('kernel arguments of Ignition', () => {
  const withArguments = (more: object): ServerState =>
    serverState(
      renderedConfig({ ...ignition({ kernelArguments: more }), kernelArguments: ['a', 'quiet'] }),
    )

  it('stay in Ignition from 3.3 on', () => {
    const config = served(withArguments({ shouldExist: ['b'], shouldNotExist: ['c'] }), '3.3')
    expect(config.kernelArguments).toEqual({ shouldExist: ['b'], shouldNotExist: ['c'] })
    expect(JSON.parse(textAt(config, paths.encapsulated))).toMatchObject({
      spec: { kernelArguments: ['a', 'quiet'] },
    })
  })

  it.each(['2.2', '3.0', '3.2'] as const)(
    'move to the encapsulated config for %s, once',
    (version) => {
      const state = withArguments({ shouldExist: ['quiet', 'b'] })
      for (const config of [served(state, version), served(state, version)]) {
        expect(config.kernelArguments).toBeUndefined()
        expect(JSON.parse(textAt(config, paths.encapsulated))).toMatchObject({
          spec: { kernelArguments: ['a', 'quiet', 'b'] },
        })
        expect(JSON.parse(textAt(config, paths.served))).toMatchObject({
          spec: { kernelArguments: ['a', 'quiet'] },
        })
      }
    },
  )

  it('that must be absent are not expressible before 3.3', () => {
    expect(answered(withArguments({ shouldNotExist: ['c'] }), '3.2')).toMatchObject({
      status: 406,
      reason: 'CannotConvert',
      message: `MachineConfig ${configName} cannot be converted to Ignition 3.2.0: $.kernelArguments.shouldNotExist needs version 3.3.0 or later`,
    })
  })
})

describe('a config that a version cannot express', () => {
  const luks = { name: 'data', device: '/dev/sda', discard: true }
  const file = { path: '/usr/bin/x', mode: 0o4755, contents: { source: 'data:,' } }
  const rendered = renderedConfig(ignition({ storage: { luks: [luks], files: [file] } }))
  const annotations = {
    'machinist.dev/provenance': encodeProvenance({ file: { '/usr/bin/x': '50-setuid' } }),
  }
  const state = serverState({ ...rendered, metadata: { ...rendered.metadata, annotations } })

  it('is refused with every field and the MachineConfig that sets it', () => {
    expect(answered(state, '3.2')).toEqual({
      type: 'refusal',
      status: 406,
      reason: 'CannotConvert',
      message: `MachineConfig ${configName} cannot be converted to Ignition 3.2.0: $.storage.files[0].mode has setuid, setgid or sticky bits, which need version 3.4.0 or later (MachineConfig 50-setuid); $.storage.luks[0].discard needs version 3.4.0 or later`,
      action: 'Boot an OS image whose Ignition supports a newer version, or remove these fields.',
      versions: ['2.2.0', '3.0.0', '3.1.0', '3.2.0', '3.3.0', '3.4.0', '3.5.0'],
      fields: [
        {
          field: '$.storage.files[0].mode',
          problem: 'has setuid, setgid or sticky bits, which need version 3.4.0 or later',
          machineConfig: '50-setuid',
        },
        { field: '$.storage.luks[0].discard', problem: 'needs version 3.4.0 or later' },
      ],
    })
    expect(served(state, '3.4').storage?.luks).toEqual([luks])
  })
})

describe('there is no config', () => {
  const state = serverState()
  it.each<[string, Partial<ServerState>, number, string]>([
    ['for an unknown pool', { pools: new Map() }, 404, 'UnknownPool'],
    [
      'for a pool without a rendered config',
      { pools: new Map([['worker', workerPool({ spec: {}, status: {} })]]) },
      503,
      'NoConfig',
    ],
    ['for a pool whose config is missing', { configs: new Map() }, 503, 'MissingConfig'],
    ['without a ControllerConfig', { trust: undefined }, 503, 'NoControllerConfig'],
    [
      'without the URL of the API server',
      { kubeconfig: { type: 'credential', server: undefined, authorities: 'x' } },
      503,
      'NoServerUrl',
    ],
    [
      'without the CA of the API server',
      { kubeconfig: { type: 'credential', server: 'x', authorities: undefined } },
      503,
      'NoServerCA',
    ],
  ])('%s', (_, more, status, reason) => {
    expect(answered({ ...state, ...more })).toMatchObject({ status, reason })
  })

  it('without a credential', () => {
    expect(selectInputs(state, 'worker', undefined)).toMatchObject({
      status: 503,
      reason: 'NoCredential',
    })
  })

  it('with a version that does not exist', () => {
    expect(answered(serverState(renderedConfig(ignition({}, '21.0.0'))))).toMatchObject({
      status: 503,
      reason: 'InvalidConfig',
      message: `the Ignition config of MachineConfig ${configName} is invalid: error at $.ignition.version: is not a supported version; use one of 2.2.0, 3.0.0, 3.1.0, 3.2.0, 3.3.0, 3.4.0, 3.5.0`,
    })
  })

  it('if a link of the config is above an added file', () => {
    const links = [{ path: '/etc/kubernetes', target: '/var/kubernetes' }]
    expect(answered(serverState(renderedConfig(ignition({ storage: { links } }))))).toMatchObject({
      status: 503,
      reason: 'InvalidConfig',
    })
  })
})

it('a MachineConfig without an Ignition config is served', () => {
  const config = served(serverState({ metadata: { name: configName } }))
  expect(config.storage!.files).toHaveLength(7)
})
