import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { parseYaml } from '@machinist/core/encoding/yaml'
import { parseToml } from '@machinist/core/encoding/toml'
import { validateWithIgnition, findIgnition } from '@machinist/testing/real-ignition'
import type { ControllerConfig } from '../../../../src/api/kinds/resources.ts'
import { readInput } from '../../../../src/fleet/render/read-input.ts'
import type { RenderedPart } from '../../../../src/controllers/template/render-role.ts'
import { exampleControllerConfig } from '../support/example-controller-config.ts'
import { filesOf, pullSecretText, rendered, unitsOf } from './rendered.ts'

const kubelet = '/etc/kubernetes/kubelet.conf'
const plain = exampleControllerConfig('plain-kubernetes')
const openshift = exampleControllerConfig('openshift')
const certificates = [
  '/etc/kubernetes/ca.crt',
  '/etc/kubernetes/kubelet-ca.crt',
  '/etc/kubernetes/static-pod-resources/configmaps/cloud-config/ca-bundle.pem',
]

const annotated = (
  config: ControllerConfig,
  annotations: Record<string, string>,
): ControllerConfig => ({ ...config, metadata: { ...config.metadata, annotations } })
const onPlatform = (type: string, topology = 'HighlyAvailable'): ControllerConfig => {
  const status = { controlPlaneTopology: topology, platformStatus: { type } }
  return {
    ...openshift,
    spec: { ...openshift.spec, infra: { ...openshift.spec.infra!, status } },
  }
}
const rendering = annotated(openshift, { 'machinist.dev/certificate-delivery': 'rendered' })
const withContainerd = annotated(plain, { 'machinist.dev/container-runtime': 'containerd' })

/** The variants of the shipped templates. */
const variants: readonly (readonly [string, ControllerConfig])[] = [
  ['plain Kubernetes', plain],
  ['plain Kubernetes with containerd', withContainerd],
  ['OpenShift', openshift],
  ['OpenShift with rendered certificates', rendering],
  ...'AWS Azure GCP OpenStack BareMetal None External Nutanix KubeVirt PowerVS oVirt Libvirt _bad_'
    .split(' ')
    .map((type) => [type, onPlatform(type)] as const),
  ['a single node', onPlatform('None', 'SingleReplica')],
  ['arbiters', onPlatform('BareMetal', 'HighlyAvailableArbiter')],
]
const ofRole = (config: ControllerConfig, role = 'worker'): readonly RenderedPart[] =>
  rendered(config).get(role)!

describe('the shipped templates', () => {
  it.each(variants)('render valid MachineConfigs on %s', (_, config) => {
    const roles = rendered(config)
    expect([...roles.keys()].slice(0, 2)).toEqual(['master', 'worker'])
    for (const [role, parts] of roles) {
      expect(parts.map(({ name }) => name)).toEqual([
        `00-${role}`,
        `01-${role}-container-runtime`,
        `01-${role}-kubelet`,
      ])
      const files = filesOf(parts)
      expect(files.get('/var/lib/kubelet/config.json')).toEqual({
        mode: 0o600,
        text: `${pullSecretText}\n`,
      })
      expect(unitsOf(parts).map(({ name }) => name)).toContain('kubelet.service')
      for (const { name, spec } of parts) {
        expect(readInput({ metadata: { name }, spec }).problems).toEqual([])
      }
      for (const [path, { text }] of files) {
        expect([path, text.endsWith('\n'), text.endsWith('\n\n')]).toEqual([path, true, false])
        expect(`${path}: ${text}`).not.toMatch(/[{%][{%]|undefined|\[object/)
        if (/\.(conf|toml)$|00-default$/.test(path) && path.startsWith('/etc/c')) parseToml(text)
        if (path.endsWith('.json')) JSON.parse(text)
        if (path.endsWith('.yaml') || path === kubelet) parseYaml(text, path)
      }
    }
  })

  it('have arbiters only with an arbiter topology', () => {
    expect([...rendered(onPlatform('None', 'HighlyAvailableArbiter')).keys()]).toEqual([
      'master',
      'worker',
      'arbiter',
    ])
    expect([...rendered(onPlatform('None')).keys()]).toEqual(['master', 'worker'])
  })

  it('contain the kubelet configuration', () => {
    const read = (config: ControllerConfig, role: string): Record<string, unknown> =>
      parseYaml(filesOf(ofRole(config, role)).get(kubelet)!.text, kubelet) as Record<
        string,
        unknown
      >
    expect(read(plain, 'worker')).toMatchObject({
      apiVersion: 'kubelet.config.k8s.io/v1beta1',
      kind: 'KubeletConfiguration',
      authentication: {
        anonymous: { enabled: false },
        x509: { clientCAFile: '/etc/kubernetes/kubelet-ca.crt' },
      },
      cgroupDriver: 'systemd',
      clusterDNS: ['10.96.0.10'],
      containerRuntimeEndpoint: 'unix:///var/run/crio/crio.sock',
    })
    expect(read(plain, 'worker')).not.toHaveProperty('registerWithTaints')
    expect(read(plain, 'master')).toMatchObject({
      registerWithTaints: [{ key: 'node-role.kubernetes.io/master', effect: 'NoSchedule' }],
    })
    expect(read(withContainerd, 'worker')).toMatchObject({
      containerRuntimeEndpoint: 'unix:///run/containerd/containerd.sock',
    })
  })

  it.each([
    ['plain Kubernetes', plain, 'worker', []],
    // An upstream kubelet exits on them: "unknown 'kubernetes.io' or 'k8s.io' labels specified with --node-labels".
    [
      'plain Kubernetes with an Infrastructure',
      annotated(onPlatform('None'), { 'machinist.dev/distribution': 'kubernetes' }),
      'master',
      [],
    ],
    [
      'vSphere',
      openshift,
      'worker',
      ['--node-labels=node-role.kubernetes.io/worker', '--cloud-provider=external'],
    ],
    [
      'bare metal',
      onPlatform('BareMetal'),
      'worker',
      ['--node-labels=node-role.kubernetes.io/worker'],
    ],
    [
      'AWS',
      onPlatform('AWS'),
      'master',
      [
        '--node-labels=node-role.kubernetes.io/master,node-role.kubernetes.io/control-plane',
        '--cloud-provider=external',
        '--image-credential-provider-bin-dir=/usr/libexec/kubelet-image-credential-provider-plugins',
        '--image-credential-provider-config=/etc/kubernetes/credential-providers/ecr-credential-provider.yaml',
      ],
    ],
  ])('start the kubelet on %s', (_, config, role, more) => {
    const parts = ofRole(config, role)
    const { contents = '' } = unitsOf(parts).find(({ name }) => name === 'kubelet.service')!
    const flags = contents.match(/--\S+/g) ?? []
    expect(flags).toEqual([
      '--config=/etc/kubernetes/kubelet.conf',
      '--bootstrap-kubeconfig=/etc/kubernetes/kubeconfig',
      '--kubeconfig=/var/lib/kubelet/kubeconfig',
      ...more,
      '--v=${KUBELET_LOG_LEVEL}',
    ])
    const provided = flags.flatMap(
      (flag) => /^--image-credential-provider-config=(.*)/.exec(flag)?.[1] ?? [],
    )
    expect([...filesOf(parts).keys()]).toEqual(expect.arrayContaining(provided))
    // Without a provider of the cloud the flags of the CRI-O provider are used.
    const isOpen = contents.includes(' $KUBELET_CRIO_IMAGE_CREDENTIAL_PROVIDER_FLAGS ')
    expect(isOpen).toBe(provided.length === 0)
  })

  it('contain the configuration of the container runtime in use only', () => {
    const crio = filesOf(ofRole(openshift))
    expect(parseToml(crio.get('/etc/crio/crio.conf.d/00-default')!.text)).toMatchObject({
      crio: {
        runtime: { cgroup_manager: 'systemd' },
        image: {
          global_auth_file: '/var/lib/kubelet/config.json',
          pause_image:
            'quay.example.com/pause@sha256:0000000000000000000000000000000000000000000000000000000000000000',
        },
      },
    })
    const containerd = filesOf(ofRole(withContainerd))
    // The last import wins: a drop-in must not replace the settings of the CRI plugin.
    expect(parseToml(containerd.get('/etc/containerd/config.toml')!.text)).toEqual({
      version: 2,
      imports: ['/etc/containerd/conf.d/*.toml', '/etc/containerd/machinist.toml'],
    })
    expect(parseToml(containerd.get('/etc/containerd/machinist.toml')!.text)).toMatchObject({
      version: 2,
      plugins: {
        'io.containerd.grpc.v1.cri': {
          containerd: { runtimes: { runc: { options: { SystemdCgroup: true } } } },
        },
      },
    })
    const used = (files: Map<string, unknown>): string[] =>
      [...files.keys()].filter((path) => /crio|containerd/.test(path))
    expect(used(crio)).toEqual(['/etc/crio/crio.conf.d/00-default'])
    expect(used(containerd).toSorted()).toEqual([
      '/etc/containerd/config.toml',
      '/etc/containerd/machinist.toml',
    ])
  })

  it('have the registries and the signature policy of MCO', () => {
    const files = filesOf(ofRole(plain))
    expect(parseToml(files.get('/etc/containers/registries.conf')!.text)).toMatchObject({
      'unqualified-search-registries': ['registry.access.redhat.com', 'docker.io'],
    })
    expect(JSON.parse(files.get('/etc/containers/policy.json')!.text)).toMatchObject({
      default: [{ type: 'insecureAcceptAnything' }],
    })
  })

  it('contain certificates only with rendered delivery', () => {
    const paths = (config: ControllerConfig): string[] =>
      [...filesOf(ofRole(config)).keys()].filter((path) => certificates.includes(path))
    expect(paths(openshift)).toEqual([])
    expect(paths(rendering).toSorted()).toEqual(certificates)
    const file = filesOf(ofRole(rendering)).get('/etc/kubernetes/kubelet-ca.crt')
    expect(file).toEqual({ mode: 0o644, text: '-----BEGIN\n' })
    const anchor = '/etc/pki/ca-trust/source/anchors/openshift-config-user-ca-bundle.crt'
    expect(filesOf(ofRole(openshift)).get(anchor)).toEqual({ mode: 0o600, text: '-----BEGIN\n' })
    expect(filesOf(ofRole(plain)).has(anchor)).toBe(false)
  })

  it('contain the proxy settings and the URL of the API server', () => {
    const files = filesOf(ofRole(openshift))
    expect(files.get('/etc/mco/proxy.env')).toEqual({
      mode: 0o600,
      text: [
        '# How this machine reaches the outside; made from the Proxy settings of the cluster.',
        'HTTP_PROXY="http://proxy.example.com:3128"',
        'HTTPS_PROXY="http://proxy.example.com:3128"',
        'NO_PROXY=".cluster.local,.svc,10.0.0.0/16"',
        '',
      ].join('\n'),
    })
    expect(files.get('/etc/kubernetes/apiserver-url.env')?.text).toBe(
      'KUBERNETES_SERVICE_HOST="api-int.one.example.com"\nKUBERNETES_SERVICE_PORT="6443"\n',
    )
    expect(files.get('/etc/kubernetes/cloud.conf')?.text).toBe('[Global]\nregion = north\n')
  })

  it('work without a pull secret', () => {
    const parts = rendered(plain, '').get('worker')!
    expect(filesOf(parts).has('/var/lib/kubelet/config.json')).toBe(false)
  })
})

const run = promisify(execFile)
const hasSystemd = await run('systemd-analyze', ['--version']).then(
  () => true,
  () => false,
)
const noSystemd = hasSystemd ? '' : '(skipped: there is no systemd-analyze)'

describe.skipIf(!hasSystemd)(`systemd ${noSystemd}`, () => {
  const verified = async (parts: readonly RenderedPart[]): Promise<string> => {
    const directory = mkdtempSync(join(tmpdir(), 'machinist-units-'))
    try {
      const own: string[] = []
      for (const { name, contents, dropins = [] } of unitsOf(parts)) {
        if (contents === undefined) continue
        // No kubelet is installed here, and systemd requires every program to exist.
        writeFileSync(join(directory, name), contents.replace('/usr/bin/kubelet', '/bin/true'))
        mkdirSync(join(directory, `${name}.d`))
        for (const one of dropins) {
          writeFileSync(join(directory, `${name}.d`, one.name), one.contents ?? '')
        }
        own.push(join(directory, name))
      }
      expect(own).not.toEqual([])
      const { stdout, stderr } = await run('systemd-analyze', [
        'verify',
        '--recursive-errors=no',
        ...own,
      ])
      return stdout + stderr
    } catch (error) {
      return (error as { stderr?: string }).stderr ?? String(error)
    } finally {
      rmSync(directory, { recursive: true })
    }
  }

  it.each([
    ['OpenShift', openshift],
    ['AWS', onPlatform('AWS')],
    ['containerd', withContainerd],
  ])('accepts the units for %s', async (_, config) => {
    expect(await verified(ofRole(config, 'master'))).toBe('')
  })

  it('reports an invalid unit', async () => {
    const parts = JSON.parse(
      JSON.stringify(ofRole(plain)).replace('Restart=always', 'Restart=sometimes'),
    ) as RenderedPart[]
    expect(await verified(parts)).toMatch(/sometimes/)
  })
})

const hasKubelet = await run('kubelet', ['--version']).then(
  () => true,
  () => false,
)
const noKubelet = hasKubelet ? '' : '(skipped: there is no kubelet)'

describe.skipIf(!hasKubelet)(`an upstream kubelet ${noKubelet}`, () => {
  /** The kubelet validates flags before it reads the configuration file, which is missing. */
  const lastError = async (config: ControllerConfig, role: string): Promise<string> => {
    const unit = unitsOf(ofRole(config, role)).find(({ name }) => name === 'kubelet.service')!
    const flags = unit.contents!.match(/--[a-z]\S+/g)!.filter((flag) => !flag.includes('$'))
    const missing = flags.map((flag) => flag.replace('=/', '=/nonexistent/'))
    const { stderr } = await run('kubelet', missing).catch(
      (error: unknown) => error as typeof failed,
    )
    return stderr.trimEnd().split('\n').at(-1)!
  }
  const failed = { stderr: '' }
  const kubernetes = { 'machinist.dev/distribution': 'kubernetes' }

  it.each([
    ['no platform', plain],
    ['an Infrastructure without a platform', annotated(onPlatform('None'), kubernetes)],
    ['AWS', annotated(onPlatform('AWS'), kubernetes)],
  ])('accepts all flags with %s', async (_, config) => {
    for (const role of ['master', 'worker']) {
      expect(await lastError(config, role)).toMatch(/failed to load kubelet config file/)
    }
  })

  it('rejects flags of OpenShift', async () => {
    expect(await lastError(onPlatform('None'), 'worker')).not.toMatch(/failed to load/)
  })
})

const hasContainerd = await run('containerd', ['--version']).then(
  () => true,
  () => false,
)
const noContainerd = hasContainerd ? '' : '(skipped: there is no containerd)'

describe.skipIf(!hasContainerd)(`the real containerd ${noContainerd}`, () => {
  it('keeps our settings of the CRI plugin when a drop-in sets another one', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'machinist-containerd-'))
    try {
      for (const [path, { text }] of filesOf(ofRole(withContainerd))) {
        if (!path.startsWith('/etc/containerd/')) continue
        const moved = text.replaceAll('"/etc/containerd/', `"${directory}/`)
        writeFileSync(join(directory, path.slice('/etc/containerd/'.length)), moved)
      }
      mkdirSync(join(directory, 'conf.d'))
      const dropin =
        'version = 2\n[debug]\nlevel = "warn"\n[plugins."io.containerd.grpc.v1.cri"]\nrestrict_oom_score_adj = true\n'
      writeFileSync(join(directory, 'conf.d', 'zz-mine.toml'), dropin)
      const { stdout } = await run('containerd', [
        '--config',
        join(directory, 'config.toml'),
        'config',
        'dump',
      ])
      expect(stdout).toMatch(/level = ['"]warn['"]/)
      expect(stdout).toMatch(/SystemdCgroup = true/)
      expect(stdout).toMatch(/config_path = ['"]\S+\/certs\.d:\/etc\/docker\/certs\.d['"]/)
    } finally {
      rmSync(directory, { recursive: true })
    }
  })
})

const { program, reason } = await findIgnition()

describe.skipIf(!program)(`the real Ignition ${reason}`, () => {
  it.each([
    ['plain Kubernetes', plain],
    ['OpenShift with rendered certificates', rendering],
    ['AWS', onPlatform('AWS')],
    ['containerd', withContainerd],
  ])('accepts the MachineConfigs for %s', async (_, config) => {
    for (const { name, spec } of ofRole(config)) {
      const verdict = await validateWithIgnition(program!, Buffer.from(JSON.stringify(spec.config)))
      expect([name, verdict]).toEqual([name, 'valid'])
    }
  })
})
