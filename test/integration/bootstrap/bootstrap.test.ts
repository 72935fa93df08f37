import { describe, expect, it } from 'vitest'
import { parseYaml } from '@machinist/core/encoding/yaml'
import { ca } from '@machinist/testing/certificates/certificates'
import type { ControllerConfig, MachineConfig } from '../../../src/api/kinds/resources.ts'
import { kubeletConfig, openShiftManifests, plainManifests, runtimeConfig } from './manifests.ts'
import { problemsOf, renderedManifests, renderManifests } from './render-manifests.ts'

type Files = ReadonlyMap<string, string>
const objectIn = (files: Files, path: string): unknown => parseYaml(files.get(path) ?? '', path)
const configOf = (files: Files, name: string | undefined): MachineConfig =>
  objectIn(files, `machine-configs/${name}.yaml`) as MachineConfig
const controllerConfigOf = (files: Files): ControllerConfig =>
  objectIn(files, 'controller-config/machine-config-controller.yaml') as ControllerConfig

const fileIn = ({ spec = {} }: MachineConfig, path: string): string | undefined => {
  const { storage } = spec.config as {
    storage?: { files?: { path: string; contents: { source: string } }[] }
  }
  const found = storage?.files?.find((file) => file.path === path)
  return found && decodeURIComponent(found.contents.source.slice('data:,'.length))
}

// Each bootstrap runs the operator and the controllers for a few seconds.
describe('a bootstrap', { timeout: 120_000 }, () => {
  it('renders all pools of a cluster, with settings', async () => {
    const manifests = {
      ...plainManifests,
      'kubelet.yaml': kubeletConfig('pods', 'worker', 150),
      'runtime.yaml': runtimeConfig,
    }
    const { files, pools, warnings } = await renderedManifests(manifests)
    expect(warnings).toEqual([])
    const names = [...files.keys()].map((path) => path.replaceAll(/-[0-9a-f]{32}/g, '-DIGEST'))
    expect(names.sort()).toEqual([
      'controller-config/machine-config-controller.yaml',
      'machine-configs/00-master.yaml',
      'machine-configs/00-worker.yaml',
      'machine-configs/01-master-container-runtime.yaml',
      'machine-configs/01-master-kubelet.yaml',
      'machine-configs/01-worker-container-runtime.yaml',
      'machine-configs/01-worker-kubelet.yaml',
      'machine-configs/99-worker-generated-containerruntime.yaml',
      'machine-configs/99-worker-generated-kubelet.yaml',
      'machine-configs/rendered-infra-DIGEST.yaml',
      'machine-configs/rendered-master-DIGEST.yaml',
      'machine-configs/rendered-worker-DIGEST.yaml',
      'machine-pools/infra.yaml',
      'machine-pools/master.yaml',
      'machine-pools/worker.yaml',
    ])
    const worker = configOf(files, pools.get('worker'))
    expect(worker.spec?.kernelArguments).toEqual(['quiet'])
    expect(fileIn(worker, '/etc/kubernetes/kubelet.conf')).toContain('maxPods: 150')
    expect(fileIn(worker, '/var/lib/kubelet/config.json')).toContain('registry.example.com')
    const infra = configOf(files, pools.get('infra'))
    expect(infra.spec?.kernelArguments).toEqual(['quiet', 'nosmt'])
    expect(objectIn(files, 'machine-pools/infra.yaml')).toMatchObject({
      spec: { configuration: { name: pools.get('infra') } },
      status: { configuration: { name: pools.get('infra') } },
    })
  })

  it('gives the same bytes for the same objects, in whatever files and order', async () => {
    const kubelet = kubeletConfig('pods', 'worker', 150)
    const first = await renderedManifests({ ...plainManifests, 'a.yaml': kubelet })
    const second = await renderedManifests({
      'all.yaml': [kubelet, ...Object.values(plainManifests).toReversed()].join('\n---\n'),
    })
    expect(second.files).toEqual(first.files)
  })

  it('renders OpenShift with its own objects, and with the ControllerConfig of its operator', async () => {
    const manifests = { ...openShiftManifests, 'k.yaml': kubeletConfig('pods', 'master', 99) }
    const { files, pools } = await renderedManifests(manifests)
    const generated = [...files.keys()].filter((path) => path.includes('-generated-'))
    expect(generated.map((path) => path.slice('machine-configs/'.length))).toEqual([
      '97-master-generated-kubelet.yaml',
      '97-worker-generated-kubelet.yaml',
      '98-master-generated-kubelet.yaml',
      '98-worker-generated-kubelet.yaml',
      '99-master-generated-kubelet.yaml',
      '99-master-generated-registries.yaml',
      '99-worker-generated-registries.yaml',
    ])
    const master = configOf(files, pools.get('master'))
    expect(master.spec?.osImageURL).toBe('quay.io/os@sha256:bb')
    expect(fileIn(master, '/etc/containers/registries.conf')).toContain('mirror.example.com/a')
    expect(fileIn(master, '/etc/kubernetes/kubelet.conf')).toMatch(/NodeSwap: true[^]*maxPods: 99/)

    // As MCO's bootstrap: a ControllerConfig instead of the objects that it is written from.
    const given = controllerConfigOf(files)
    given.metadata.annotations!['machineconfiguration.openshift.io/generated-by-version'] =
      'v4.16.0-202409051837.p0'
    given.spec.releaseImage = 'quay.io/release@sha256:aa'
    const pullSecret = openShiftManifests['release.yaml']!.split('---').at(-1)!
    const others = ['image.json', 'features.json', 'api-server.json', 'node.json', 'mirrors.yaml']
    const again = await renderedManifests({
      'cc.json': JSON.stringify(given),
      'k.yaml': manifests['k.yaml'],
      'secret.yaml': pullSecret,
      ...Object.fromEntries(others.map((file) => [file, openShiftManifests[file]!])),
    })
    expect(again.pools).toEqual(pools)
  })

  it('writes the CAs of the manifests to the ControllerConfig', async () => {
    const pem = await ca('kubelet client')
    const { files } = await renderedManifests({
      ...plainManifests,
      'ca.json': JSON.stringify({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { namespace: 'openshift-config-managed', name: 'kube-apiserver-client-ca' },
        data: { 'ca-bundle.crt': pem },
      }),
    })
    const { kubeAPIServerServingCAData } = controllerConfigOf(files).spec
    expect(Buffer.from(kubeAPIServerServingCAData ?? '', 'base64').toString()).toBe(pem)
  })

  it('merges two KubeletConfigs of a pool only if their order is given', async () => {
    const two = (a: string, b: string): Record<string, string> => ({ 'a.yaml': a, 'b.yaml': b })
    const [a, b] = [kubeletConfig('a', 'worker', 100), kubeletConfig('b', 'worker', 200)]
    expect(await problemsOf({ ...plainManifests, ...two(a, b) })).toEqual([
      expect.stringMatching(
        /^b\.yaml: KubeletConfig a and KubeletConfig b select pool worker, and the order/,
      ) as string,
    ])
    const at = (text: string, position: string): string =>
      text.replace(
        /name: (\w) }/,
        `name: $1, annotations: { machineconfiguration.openshift.io/mc-name-suffix: '${position}' } }`,
      )
    const { files, pools } = await renderedManifests({
      ...plainManifests,
      ...two(at(a, '1'), at(b, '')),
    })
    expect(files.has('machine-configs/99-worker-generated-kubelet-1.yaml')).toBe(true)
    const worker = configOf(files, pools.get('worker'))
    expect(fileIn(worker, '/etc/kubernetes/kubelet.conf')).toContain('maxPods: 100')
  })

  it('reports everything that is wrong, with the file, the object and the field', async () => {
    const { 'cluster.yaml': cluster, ...rest } = plainManifests
    const result = await renderManifests({
      ...rest,
      'cluster.yaml': cluster!
        .replace('10.96.0.0/12', '10.96.0.0/40')
        .replace('infrastructure:', 'containerRuntime: docker\n  infrastructure:'),
      'bad.yaml': plainManifests['configs/motd.yaml']!.replace('99-worker-motd', '99-bad')
        .replace('/etc/motd', 'etc/motd')
        .replace('mode: 0644', 'mode: 99999'),
      'k.yaml': kubeletConfig('pods', 'worker', 5).replace('maxPods', 'maxPod'),
      'lost.yaml': plainManifests['configs/motd.yaml']!.replace(
        '99-worker-motd',
        '99-lost',
      ).replace('role: worker', 'role: wroker'),
    })
    expect(result).toEqual({
      type: 'failed',
      problems: [
        {
          file: 'bad.yaml',
          message:
            'MachineConfig 99-bad: invalid Ignition config found in 99-bad: $.storage.files[0].path ("etc/motd") must be an absolute path that starts with "/"',
        },
        {
          file: 'bad.yaml',
          message:
            'MachineConfig 99-bad: invalid Ignition config found in 99-bad: $.storage.files[0].mode must be between 0 and 4095 (octal 7777)',
        },
        {
          file: 'cluster.yaml',
          message:
            'ConfigMap openshift-machine-config-operator/machinist-cluster, key network, spec.serviceNetwork [0] is not a CIDR range such as 10.96.0.0/12',
        },
        {
          file: 'cluster.yaml',
          message:
            'ConfigMap openshift-machine-config-operator/machinist-cluster, key containerRuntime: invalid value; use crio or containerd',
        },
        {
          file: 'k.yaml',
          message:
            'KubeletConfig pods: spec.kubeletConfig.maxPod: unknown field; did you mean maxPods?',
        },
      ],
      warnings: [
        {
          file: 'lost.yaml',
          message: expect.stringMatching(
            /^No MachineConfigPool selects MachineConfig 99-lost/,
          ) as string,
        },
      ],
    })
  })

  it('reports what the API server rejects, before anything runs', async () => {
    const motd = plainManifests['configs/motd.yaml']!
    expect(
      await problemsOf({
        'a.yaml': motd.replace('kernelArguments:', 'kernelArgs:'),
        'b.yaml': plainManifests['pools/infra.yaml']!.replace('infra,', 'In_fra,'),
        'c.yaml': plainManifests['cluster.yaml']!.replace('stringData', 'data'),
      }),
    ).toEqual([
      'a.yaml: MachineConfig 99-worker-motd: unknown fields: spec.kernelArgs; remove them',
      expect.stringMatching(
        /^b\.yaml: MachineConfigPool In_fra: metadata\.name: Invalid/,
      ) as string,
      'c.yaml: Secret openshift-config/pull-secret: illegal base64 data at input byte 0',
    ])
  })

  it.each<[string, Record<string, string>, RegExp]>([
    ['no network', {}, /^the service network is unknown: Service default\/kubernetes does not/],
    [
      'a pool that selects nothing',
      {
        ...plainManifests,
        'x.yaml': plainManifests['pools/infra.yaml']!.replaceAll('infra', 'gpu').replace(
          'worker, gpu',
          'gpu',
        ),
      },
      /^x\.yaml: Failed to render configuration for pool gpu: no MachineConfigs found matching/,
    ],
    [
      'a missing pull secret',
      {
        ...openShiftManifests,
        'release.yaml': openShiftManifests['release.yaml']!.split('---').slice(0, 2).join('---'),
      },
      /^the templates of master, worker failed: Secret openshift-config\/pull-secret/,
    ],
    [
      'images of another release',
      {
        ...openShiftManifests,
        'release.yaml': openShiftManifests['release.yaml']!.replaceAll('4.16.3', '4.15.0'),
      },
      /^release\.yaml: ConfigMap openshift-machine-config-operator\/machine-config-operator-images, key images\.json: it is not of release 4\.16\.3/,
    ],
    [
      'invalid mirrors',
      {
        ...openShiftManifests,
        'mirrors.yaml': openShiftManifests['mirrors.yaml']!.replace('quay.io/a', "''"),
      },
      /^mirrors\.yaml: ImageContentSourcePolicy mirrors/,
    ],
  ])('reports %s', async (_, manifests, message) => {
    const [first] = await problemsOf(
      Object.keys(manifests).length === 0
        ? { 'a.yaml': kubeletConfig('k', 'worker', 9) }
        : manifests,
    )
    expect(first).toMatch(message)
  })

  it('ends at its time limit, and names what is missing', async () => {
    expect(await problemsOf(plainManifests, { timeoutMs: 1 })).toEqual([
      'ControllerConfig machine-config-controller does not exist: the operator has not written it',
      expect.stringMatching(/pool infra has no rendered config$/) as string,
      'the controllers did not finish within 0.001 s: the first round did not end; increase the time limit (--timeout)',
    ])
  })
})
