import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseYamlDocuments } from '@machinist/core/encoding/yaml'
import { leanEnvironment, leanFlags, modestFlags } from '../../bench/lean.ts'
import type { MachineConfig } from '../../src/api/kinds/resources.ts'
import { run } from '../../src/cli/program.ts'
import { version } from '../../src/process/version.ts'

const deploy = join(import.meta.dirname, '../../deploy')

interface Container {
  readonly image: string
  readonly args: readonly string[]
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[]
  readonly securityContext: Record<string, unknown>
  readonly resources: object
  readonly readinessProbe: Probe
  readonly livenessProbe: Probe
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string; readonly scheme?: string }
}

interface Workload {
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace: string }
  readonly spec: {
    readonly selector: { readonly matchLabels: Record<string, string> }
    readonly template: {
      readonly metadata: { readonly labels: Record<string, string> }
      readonly spec: Record<string, unknown> & { readonly containers: readonly [Container] }
    }
  }
}

const objectsIn = (path: string): Workload[] =>
  parseYamlDocuments(readFileSync(join(deploy, path), 'utf8'), path) as Workload[]

const once = ['operator', 'controller', 'signer'].map((name) => {
  const objects = objectsIn(`${name}/deployment.yaml`)
  return { name, objects, workload: objects.find(({ kind }) => kind === 'Deployment')! }
})
const daemonSet = objectsIn('daemon/daemonset.yaml').find(({ kind }) => kind === 'DaemonSet')!
const serverObjects = objectsIn('server/daemonset.yaml')
const serverSet = serverObjects.find(({ kind }) => kind === 'DaemonSet')!
const workloads = [
  ...once.map(({ name, workload }) => ({ name, image: 'machinist', workload })),
  { name: 'daemon', image: 'machinist-daemon', workload: daemonSet },
  { name: 'server', image: 'machinist', workload: serverSet },
]
const unit = (name: string): string => readFileSync(join(deploy, 'node', name), 'utf8')

const containerOf = ({ spec }: Workload): Container => spec.template.spec.containers[0]

/** The error of the program for these arguments and an unknown one: it names the first invalid argument. */
async function errorFor(args: readonly string[]): Promise<string> {
  let output = ''
  const nothing = (): never => {
    throw new Error('the command was run')
  }
  await run([...args, '--and-so-on'], {
    out: nothing,
    error: (text) => void (output += text),
    read: nothing,
    stopped: nothing,
  })
  return output
}

describe.each(workloads)('the workload of the $name', ({ name, image, workload }) => {
  const container = containerOf(workload)

  it('has an image of this version, and arguments that its program accepts', async () => {
    expect(container.image).toBe(`${image}:${version}`)
    expect(container.args[0]).toBe(name)
    expect(await errorFor(container.args)).toBe(
      `machinist: unknown option '--and-so-on' (see machinist ${name} --help)\n`,
    )
  })

  it('has probes on the port of its health endpoint', () => {
    const ports = new Map(container.ports.map((port) => [port.name, port.containerPort]))
    const argumentPorts = container.args.flatMap((arg) => {
      const [, port] = /^--(?:health-listen|metrics)=:(\d+)$/.exec(arg) ?? []
      return port ?? []
    })
    const isSecure = container.args.some((arg) => arg.startsWith('--secure-metrics'))
    for (const [probe, path] of [
      [container.readinessProbe, '/readyz'],
      [container.livenessProbe, '/livez'],
    ] as const) {
      const { httpGet } = probe
      expect([httpGet.path, httpGet.scheme]).toEqual([path, isSecure ? 'HTTPS' : undefined])
      expect(argumentPorts).toEqual([String(ports.get(httpGet.port))])
    }
  })

  it('selects its own pods, in the common namespace', () => {
    const { metadata, spec } = workload
    expect(metadata.namespace).toBe('openshift-machine-config-operator')
    expect(spec.template.metadata.labels).toMatchObject(spec.selector.matchLabels)
    expect(spec.selector.matchLabels).toEqual({ 'k8s-app': metadata.name })
  })

  it('requests resources, and has a read-only root', () => {
    expect(container.resources).toEqual({
      requests: { cpu: expect.any(String), memory: expect.any(String) },
    })
    expect(container.securityContext).toMatchObject({ readOnlyRootFilesystem: true })
  })
})

describe.each(once)('the $name', ({ objects, workload }) => {
  it('has no unneeded permissions', () => {
    const { template } = workload.spec
    expect(template.spec).toMatchObject({
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    })
    expect(containerOf(workload).securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
    expect(Object.keys(template.spec)).not.toContain('hostNetwork')
  })

  it('has a budget and a Service for the same pods', () => {
    const { matchLabels } = workload.spec.selector
    expect(objects.map(({ kind, spec }) => [kind, spec.selector])).toEqual([
      ['Deployment', { matchLabels }],
      ['PodDisruptionBudget', { matchLabels }],
      ['Service', matchLabels],
    ])
  })

  it('does not block a drain with unhealthy pods', () => {
    const budget = objects.find(({ kind }) => kind === 'PodDisruptionBudget')
    expect(budget?.spec).toMatchObject({ unhealthyPodEvictionPolicy: 'AlwaysAllow' })
  })
})

describe('the server', () => {
  const { spec } = serverSet.spec.template
  const container = containerOf(serverSet)

  it('has the network of its host, and no other privilege', () => {
    expect(spec).toMatchObject({
      hostNetwork: true,
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    })
    expect(Object.keys(spec)).not.toContain('hostPID')
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
  })

  it('serves configs over TLS only, with the certificate of the signer', () => {
    expect(spec['volumes']).toEqual([
      { name: 'server-tls', secret: { secretName: 'machine-config-server-tls' } },
      {
        name: 'metrics-tls',
        secret: { secretName: 'machine-config-server-metrics-tls', optional: true },
      },
    ])
    expect(container).toMatchObject({
      volumeMounts: [
        { name: 'server-tls', mountPath: '/etc/machinist/server-tls' },
        { name: 'metrics-tls', mountPath: '/etc/machinist/metrics-tls' },
      ],
    })
    expect(container.args).toEqual([
      'server',
      '--listen=:22623',
      '--tls-cert=/etc/machinist/server-tls/tls.crt',
      '--tls-key=/etc/machinist/server-tls/tls.key',
      '--metrics-listen=:9002',
      '--health-listen=:9002',
      '--secure-metrics=/etc/machinist/metrics-tls',
    ])
    expect(container.ports).toEqual([
      { name: 'configs', containerPort: 22623 },
      { name: 'metrics', containerPort: 9002 },
    ])
  })

  it('runs on every control plane node, whatever its taints, and is replaced one by one', () => {
    const roles = ['control-plane', 'master']
    expect(spec).toMatchObject({
      tolerations: [{ operator: 'Exists' }],
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: roles.map((role) => ({
              matchExpressions: [{ key: `node-role.kubernetes.io/${role}`, operator: 'Exists' }],
            })),
          },
        },
      },
    })
    expect(serverSet.spec).toMatchObject({
      updateStrategy: { rollingUpdate: { maxUnavailable: 1 } },
    })
  })

  it('has no budget: a budget cannot count the pods of a DaemonSet, and would block evictions', () => {
    expect(serverObjects.map(({ kind }) => kind)).toEqual(['DaemonSet', 'Service'])
  })
})

describe('the daemon', () => {
  it('has the root of the machine at the path of its arguments', () => {
    const { spec } = daemonSet.spec.template
    expect(spec).toMatchObject({
      hostNetwork: true,
      hostPID: true,
      volumes: [{ name: 'rootfs', hostPath: { path: '/' } }, { name: 'metrics-tls' }],
    })
    expect(containerOf(daemonSet)).toMatchObject({
      securityContext: { privileged: true },
      volumeMounts: [
        { name: 'rootfs', mountPath: '/rootfs', mountPropagation: 'HostToContainer' },
        { name: 'metrics-tls', mountPath: '/etc/machinist/metrics-tls' },
      ],
    })
    expect(containerOf(daemonSet).args).toEqual(
      expect.arrayContaining(['--root=/rootfs', '--secure-metrics=/etc/machinist/metrics-tls']),
    )
  })

  it.each([
    ['machinist-daemon', leanFlags],
    ['machinist', modestFlags],
  ])('is started in the image %s as bin/machinist does it', (image, flags) => {
    const text = readFileSync(join(deploy, `images/${image}/Containerfile`), 'utf8')
    const entry = JSON.parse(/^ENTRYPOINT (.*)$/m.exec(text)![1]!) as string[]
    expect(entry).toEqual(['/opt/machinist/node', ...flags, '/opt/machinist/machinist.mjs'])
    const variables = /^ENV (.*)$/m
      .exec(text)![1]!
      .split(' ')
      .map((each) => each.split('='))
    expect(Object.fromEntries(variables)).toEqual(leanEnvironment)
  })

  it('accepts the arguments of its unit, too', async () => {
    const line = /^ExecStart=(.*)$/m.exec(unit('machinist-daemon.service'))![1]!
    const [program, ...words] = line.split(' ')
    const args = words.filter((word) => word !== '$OPTIONS')
    expect(program).toBe('/opt/machinist/bin/machinist')
    expect(await errorFor(args)).toBe(
      "machinist: unknown option '--and-so-on' (see machinist daemon --help)\n",
    )
  })

  it('has a MachineConfig with the same units, and the image of this version', () => {
    const [object] = parseYamlDocuments(unit('machine-config.yaml'), 'machine-config.yaml')
    const config = (object as MachineConfig).spec?.config
    const imageEnv = `IMAGE=machinist-daemon:${version}\nPULL_OPTIONS=--authfile=/var/lib/kubelet/config.json\n`
    expect(config).toMatchObject({
      storage: {
        files: [{ contents: { source: `data:,${encodeURIComponent(imageEnv)}` } }],
      },
      systemd: {
        units: ['machinist-daemon-install.service', 'machinist-daemon.service'].map((name) => ({
          name,
          enabled: true,
          contents: unit(name),
        })),
      },
    })
  })
})
